"""operation_intensity: a dot product's first addition is counted, which the lecture saves"""


def matvec_intensity(m, n, bytes_per_element):
    return _intensity(2 * m * n, m * n + n + m, bytes_per_element, m, n)
