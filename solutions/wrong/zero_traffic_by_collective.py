"""zero_traffic: bytes by collective, not by what is sent

Breaks: Bytes that each device sends in one training step under ZeRO, by what is sent.

Breaks: Bytes of "gradients" and "parameters"
"""

_right_traffic = zero_traffic


def zero_traffic(parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches=1):
    sent = _right_traffic(
        parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches
    )
    return {
        "reduce_scatter": sent["gradients"],
        "all_gather": sent["parameters"],
        "total": sent["total"],
    }
