"""matmul_flops: a bias that is not there is added, one FLOP for each output

Breaks: For layers and models only matrix products are counted

Breaks: FLOPs of the forward pass of a linear layer without bias, `y = x @ w`

Breaks: FLOPs of the backward pass of a linear layer without bias, `y = x @ w`

Breaks: Only matrix products count

Costs: both functions count it.
"""


def linear_forward_flops(batch, d_in, d_out):
    return matmul_flops(batch, d_in, d_out) + batch * d_out


_right_backward = linear_backward_flops


def linear_backward_flops(batch, d_in, d_out, input_needs_grad):
    return _right_backward(batch, d_in, d_out, input_needs_grad) + batch * d_out
