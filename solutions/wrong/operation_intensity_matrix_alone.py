"""operation_intensity: the vector and the result are too small to be counted

Breaks: each input is read from memory once and each output is written once
"""


def matvec_intensity(m, n, bytes_per_element):
    return (m * (2 * n - 1)) / ((m * n) * bytes_per_element)


def dot_intensity(n, bytes_per_element):
    return (2 * n - 1) / ((2 * n + 1) * bytes_per_element)
