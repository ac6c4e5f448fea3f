"""matmul_flops: D - 1 additions are counted for each output, against the convention"""


def matmul_flops(B, D, K):
    if min(B, D, K) < 0:
        raise ValueError("negative size")
    return B * K * (2 * D - 1)
