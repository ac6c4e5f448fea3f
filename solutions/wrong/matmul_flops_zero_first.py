"""matmul_flops: 0 is returned for a size of 0, before the others are checked

Breaks: A negative size is refused even if another is 0, which would make the result 0

Breaks: a size is negative
"""


def matmul_flops(B, D, K):
    if 0 in (B, D, K):
        return 0
    if min(B, D, K) < 0:
        raise ValueError("negative size")
    return 2 * B * D * K
