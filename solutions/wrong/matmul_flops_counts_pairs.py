"""matmul_flops: a multiplication and its addition are counted as one FLOP

Breaks: A FLOP is one floating-point addition or multiplication

Breaks: FLOPs of the matrix product (B×D)·(D×K)
"""


def matmul_flops(B, D, K):
    if min(B, D, K) < 0:
        raise ValueError("negative size")
    return B * D * K
