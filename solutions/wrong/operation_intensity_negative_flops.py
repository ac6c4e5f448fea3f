"""operation_intensity: a negative number of FLOPs per element is not looked at

Breaks: `flops_per_element` is negative
"""


def gelu_intensity(n, bytes_per_element, flops_per_element=20):
    return _intensity(flops_per_element * n, 2 * n, bytes_per_element, n)
