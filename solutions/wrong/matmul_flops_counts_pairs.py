"""matmul_flops: a multiplication and its addition are counted as one FLOP"""


def matmul_flops(B, D, K):
    if min(B, D, K) < 0:
        raise ValueError("negative size")
    return B * D * K
