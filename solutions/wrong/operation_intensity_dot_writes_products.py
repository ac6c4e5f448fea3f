"""operation_intensity: a dot product writes its n products, not their sum

Breaks: Arithmetic intensity of the dot product of two vectors, whose result is one element.
"""


def dot_intensity(n, bytes_per_element):
    return (2 * n - 1) / ((3 * n) * bytes_per_element)
