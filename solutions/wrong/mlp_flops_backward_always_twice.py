"""mlp_flops: the backward pass is always twice the forward pass

Breaks: whether the MLP's input, that of the first layer, gets a gradient

Breaks: FLOPs of the backward pass of an MLP
"""


def mlp_backward_flops(batch, widths, input_needs_grad):
    return 2 * mlp_forward_flops(batch, widths)
