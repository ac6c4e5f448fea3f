"""matmul_flops: the backward pass leaves out the weight's gradient

Breaks: Given the gradient of y, the weight's gradient is a product of x and that gradient, and the
input's gradient is a product of that gradient and w

Breaks: The weight's gradient is always computed
"""


def linear_backward_flops(batch, d_in, d_out, input_needs_grad):
    flops = matmul_flops(batch, d_in, d_out)
    return flops if input_needs_grad else 0
