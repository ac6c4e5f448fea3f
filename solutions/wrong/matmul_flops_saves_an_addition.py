"""matmul_flops: D - 1 additions are counted for each output, against the convention

Breaks: By convention each of the B·K outputs takes D multiplications and D additions. (The first
addition, to 0, could be saved, but neither this convention nor hardware saves it.)

Breaks: 0 if a size is 0
"""


def matmul_flops(B, D, K):
    if min(B, D, K) < 0:
        raise ValueError("negative size")
    return B * K * (2 * D - 1)
