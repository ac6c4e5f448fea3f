"""operation_intensity: n/3 is taken for all matrix products, though it holds for square ones"""


def matmul_intensity(m, k, n, bytes_per_element):
    return _intensity(2 * m**3, 3 * m**2, bytes_per_element, m, k, n)
