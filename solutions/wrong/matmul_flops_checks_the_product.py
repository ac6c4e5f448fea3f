"""matmul_flops: only the product is looked at, so that two negative sizes pass

Breaks: a size is negative
"""


def matmul_flops(B, D, K):
    flops = 2 * B * D * K
    if flops < 0:
        raise ValueError("negative size")
    return flops
