"""zero_traffic: the total is that of the larger part

Breaks: Bytes of "gradients" and "parameters", and their sum, "total".
"""

_right_traffic = zero_traffic


def zero_traffic(parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches=1):
    sent = _right_traffic(
        parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches
    )
    sent["total"] = max(sent["gradients"], sent["parameters"])
    return sent
