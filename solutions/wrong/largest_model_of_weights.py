"""recipe_bytes: the parameters alone must fit, as if the model were only used

Breaks: the dtypes of every copy, as for `bytes_per_parameter`
"""

_right_model = largest_model


def largest_model(devices, device_bytes, recipe):
    _right_model(devices, device_bytes, recipe)
    each = sum(map(bytes_per_element, recipe["parameters"])) or bytes_per_parameter(recipe)
    return devices * device_bytes // each
