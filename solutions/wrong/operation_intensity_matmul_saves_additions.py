"""operation_intensity: a matrix product's first additions are saved, unlike in matmul_flops"""


def matmul_intensity(m, k, n, bytes_per_element):
    return _intensity(m * n * (2 * k - 1), m * k + k * n + m * n, bytes_per_element, m, k, n)
