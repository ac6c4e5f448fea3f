"""mlp_flops: an empty batch takes 0 FLOPs, whatever the widths

Breaks: a negative size
"""

_forward, _backward = mlp_forward_flops, mlp_backward_flops


def mlp_forward_flops(batch, widths):
    if batch == 0 and len(widths) > 1:
        return 0
    return _forward(batch, widths)


def mlp_backward_flops(batch, widths, input_needs_grad):
    if batch == 0 and len(widths) > 1:
        return 0
    return _backward(batch, widths, input_needs_grad)
