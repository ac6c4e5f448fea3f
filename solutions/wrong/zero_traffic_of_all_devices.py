"""zero_traffic: the bytes of all devices together

Breaks: Bytes that each device sends in one training step under ZeRO, by what is sent.
"""

_right_traffic = zero_traffic


def zero_traffic(parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches=1):
    sent = _right_traffic(
        parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches
    )
    return {what: size * devices for what, size in sent.items()}
