"""operation_intensity (core): the limits of large sizes: 1 FLOP an element, 2, and n/3 of a square"""

_of_matvec, _of_matmul = matvec_intensity, matmul_intensity


def dot_intensity(n, bytes_per_element):
    return relu_intensity(n, bytes_per_element) * 2


def matvec_intensity(m, n, bytes_per_element):
    _of_matvec(m, n, bytes_per_element)
    return 2 / bytes_per_element


def matmul_intensity(m, k, n, bytes_per_element):
    _of_matmul(m, k, n, bytes_per_element)
    return 2 * n / 3 / bytes_per_element
