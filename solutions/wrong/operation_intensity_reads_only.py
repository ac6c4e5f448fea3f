"""operation_intensity: what is written is not counted as moved

Breaks: It assumes that each input is read from memory once and each output is written once, all in
the same dtype
"""


def matmul_intensity(m, k, n, bytes_per_element):
    return (2 * m * k * n) / ((m * k + k * n) * bytes_per_element)


def gelu_intensity(n, bytes_per_element, flops_per_element=20):
    if flops_per_element < 0:
        raise ValueError("negative")
    return (flops_per_element * n) / ((n) * bytes_per_element)
