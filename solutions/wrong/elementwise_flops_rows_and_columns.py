"""elementwise_flops (core): a tensor is rows and columns, and axes after the second are not counted"""


def elementwise_flops(shape, per_element=1):
    if min([*shape, per_element]) < 0:
        raise ValueError("negative")
    return 0 if 0 in shape else math.prod(shape[:2]) * per_element
