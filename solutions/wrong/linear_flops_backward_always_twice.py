"""linear_flops (core): backward is always twice forward, whether the input needs a gradient or not

Breaks: FLOPs: as many as the forward pass, or twice as many if the input needs a gradient
"""


def linear_backward_flops(batch, d_in, d_out, input_needs_grad):
    return 2 * matmul_flops(batch, d_in, d_out)
