"""matmul_flops: sizes of 0 are refused"""


def linear_forward_flops(batch, d_in, d_out):
    if min(batch, d_in, d_out) <= 0:
        raise ValueError("expected positive sizes")
    return 2 * batch * d_in * d_out
