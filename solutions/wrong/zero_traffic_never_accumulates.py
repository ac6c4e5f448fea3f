"""zero_traffic: every micro-batch sends its gradients, at stages 0 and 1 too

Breaks: At stages 0 and 1 a device has room for all gradients, so it adds up those of its
micro-batches before it sends them.
"""

_right_traffic = zero_traffic


def zero_traffic(parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches=1):
    sent = _right_traffic(
        parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches
    )
    if stage < 2:
        sent["gradients"] *= micro_batches
    sent["total"] = sent["gradients"] + sent["parameters"]
    return sent
