"""operation_intensity: the vector has as many elements as the matrix has rows

Breaks: Arithmetic intensity of an m×n matrix times a vector of n elements.
"""


def matvec_intensity(m, n, bytes_per_element):
    return (n * (2 * m - 1)) / ((m * n + n + m) * bytes_per_element)
