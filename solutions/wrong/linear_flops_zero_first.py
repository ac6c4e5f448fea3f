"""linear_flops: 0 is returned for a size of 0, before the others are checked"""


def linear_forward_flops(batch, d_in, d_out):
    if batch == 0 or d_in == 0 or d_out == 0:
        return 0
    return matmul_flops(batch, d_in, d_out)
