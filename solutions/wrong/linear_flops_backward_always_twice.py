"""linear_flops: backward is always twice forward, whether the input needs a gradient or not"""


def linear_backward_flops(batch, d_in, d_out, input_needs_grad):
    return 2 * matmul_flops(batch, d_in, d_out)
