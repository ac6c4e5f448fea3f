"""matmul_flops: 0 is returned for a size of 0, before the others are checked"""


def matmul_flops(B, D, K):
    if 0 in (B, D, K):
        return 0
    if min(B, D, K) < 0:
        raise ValueError("negative size")
    return 2 * B * D * K
