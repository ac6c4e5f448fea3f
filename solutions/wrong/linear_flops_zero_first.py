"""linear_flops: 0 is returned for a size of 0, before the others are checked

Breaks: a size is negative
"""


def linear_forward_flops(batch, d_in, d_out):
    if batch == 0 or d_in == 0 or d_out == 0:
        return 0
    return matmul_flops(batch, d_in, d_out)


_right_backward = linear_backward_flops


def linear_backward_flops(batch, d_in, d_out, input_needs_grad):
    if batch == 0 or d_in == 0 or d_out == 0:
        return 0
    return _right_backward(batch, d_in, d_out, input_needs_grad)
