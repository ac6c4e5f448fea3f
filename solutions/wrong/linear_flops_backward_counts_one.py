"""linear_flops: the backward pass leaves out the weight's gradient"""


def linear_backward_flops(batch, d_in, d_out, input_needs_grad):
    flops = matmul_flops(batch, d_in, d_out)
    return flops if input_needs_grad else 0
