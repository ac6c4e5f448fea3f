"""zero_traffic: a device alone sends nothing, whatever the other arguments are

Breaks: `stage` is not 0, 1, 2 or 3

Breaks: `collective_bytes` raises it for the parameters, the devices or, at any stage, either dtype
"""

_right_traffic = zero_traffic


def zero_traffic(parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches=1):
    if devices == 1:
        return {"gradients": 0, "parameters": 0, "total": 0}
    return _right_traffic(
        parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches
    )
