"""operation_intensity: a dot product's first addition is counted, which the lecture saves

Breaks: The FLOPs are n multiplications and n - 1 additions, as in the lecture.

Breaks: The FLOPs are those of m dot products: m·(2n - 1).
"""


def matvec_intensity(m, n, bytes_per_element):
    return (2 * m * n) / ((m * n + n + m) * bytes_per_element)
