"""operation_intensity: n/3 is taken for all matrix products, though it holds for square ones

Breaks: Arithmetic intensity of an m×k matrix times a k×n matrix.
"""


def matmul_intensity(m, k, n, bytes_per_element):
    return (2 * m**3) / ((3 * m**2) * bytes_per_element)
