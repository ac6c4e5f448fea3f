"""matmul_flops: the product goes through a float and back, which is inexact past 2**53

Breaks: Counts are exact Python ints, whatever their size
"""


def matmul_flops(B, D, K):
    if min(B, D, K) < 0:
        raise ValueError("negative size")
    return int(2.0 * B * D * K)
