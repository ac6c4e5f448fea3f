"""mlp_flops: the backward pass is always twice the forward pass"""


def mlp_backward_flops(batch, widths, input_needs_grad):
    return 2 * mlp_forward_flops(batch, widths)
