"""linear_flops: a bias that is not there is added, one FLOP for each output"""


def linear_forward_flops(batch, d_in, d_out):
    return matmul_flops(batch, d_in, d_out) + batch * d_out
