"""operation_intensity: ReLU and GELU write one element, as a dot product does

Breaks: the same for every n
"""


def gelu_intensity(n, bytes_per_element, flops_per_element=20):
    if flops_per_element < 0:
        raise ValueError("negative")
    return (flops_per_element * n) / ((n + 1) * bytes_per_element)
