"""elementwise_flops: only the product is looked at, so that two negative sizes pass

Breaks: a size or `per_element` is negative
"""


def elementwise_flops(shape, per_element=1):
    flops = math.prod(shape) * per_element
    if flops < 0:
        raise ValueError("negative")
    return flops
