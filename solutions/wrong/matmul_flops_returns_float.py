"""matmul_flops: the product is taken in floating point, which is inexact when huge

Breaks: Counts are exact Python ints, whatever their size
"""


def matmul_flops(B, D, K):
    if min(B, D, K) < 0:
        raise ValueError("negative size")
    return 2.0 * B * D * K
