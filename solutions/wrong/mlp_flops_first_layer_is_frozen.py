"""mlp_flops: if the input needs no gradient, the first layer is skipped in the backward pass

Breaks: Every layer's weight gets a gradient
"""

_right_backward = mlp_backward_flops


def mlp_backward_flops(batch, widths, input_needs_grad):
    flops = _right_backward(batch, widths, input_needs_grad)
    return flops if input_needs_grad else flops - matmul_flops(batch, widths[0], widths[1])
