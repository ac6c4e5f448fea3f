"""zero_traffic: gradients are sent in the parameters' dtype"""

_right_traffic = zero_traffic


def zero_traffic(parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches=1):
    bytes_per_element(gradient_dtype)
    return _right_traffic(
        parameters, devices, stage, parameter_dtype, parameter_dtype, micro_batches
    )
