"""mlp_flops: biases and activation functions are added, one FLOP each for every output

Breaks: linear layers without bias, one after the other

Breaks: activation functions between the layers do not count
"""

_right_forward, _right_backward = mlp_forward_flops, mlp_backward_flops


def mlp_forward_flops(batch, widths):
    return _right_forward(batch, widths) + 2 * batch * sum(widths[1:])


def mlp_backward_flops(batch, widths, input_needs_grad):
    return _right_backward(batch, widths, input_needs_grad) + 2 * batch * sum(widths[1:])
