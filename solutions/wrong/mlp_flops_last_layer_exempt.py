"""mlp_flops: the last layer, not the first, is taken to do without its input's gradient

Breaks: Every layer but the first must also compute its input's gradient, to pass it on to the
layer before
"""


def mlp_backward_flops(batch, widths, input_needs_grad):
    layers = pairwise(widths)
    return sum(
        linear_backward_flops(batch, d_in, d_out, input_needs_grad or i < len(layers) - 1)
        for i, (d_in, d_out) in enumerate(layers)
    )
