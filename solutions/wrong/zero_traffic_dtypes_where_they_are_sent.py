"""zero_traffic: at stage 0 the parameters' dtype is never looked at

Breaks: a dtype is not a `torch.dtype`

Breaks: `collective_bytes` raises it for the parameters, the devices or, at any stage, either dtype
"""

_right_traffic = zero_traffic


def zero_traffic(parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches=1):
    if stage == 0:
        parameter_dtype = gradient_dtype
    return _right_traffic(
        parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches
    )
