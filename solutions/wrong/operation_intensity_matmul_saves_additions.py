"""operation_intensity: a matrix product's first additions are saved, unlike in matmul_flops

Breaks: The FLOPs are those of `matmul_flops`, 2mkn, so that square matrices in bfloat16 have n/3.
(With n = 1 that is m FLOPs more than `matvec_intensity` counts: the first additions.)
"""


def matmul_intensity(m, k, n, bytes_per_element):
    return (m * n * (2 * k - 1)) / ((m * k + k * n + m * n) * bytes_per_element)
