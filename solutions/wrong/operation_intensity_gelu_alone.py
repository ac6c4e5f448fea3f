"""operation_intensity: GELU's 20 FLOPs are counted for every function of one element

Breaks: Arithmetic intensity of GELU, or of any function of one element.
"""


def gelu_intensity(n, bytes_per_element, flops_per_element=20):
    if flops_per_element < 0:
        raise ValueError("negative")
    return (20 * n) / ((2 * n) * bytes_per_element)
