"""mlp_flops: if the input needs no gradient, no layer is taken to compute its own input's

Breaks: Every layer but the first must also compute its input's gradient, to pass it on to the
layer before
"""


def mlp_backward_flops(batch, widths, input_needs_grad):
    return sum(
        linear_backward_flops(batch, d_in, d_out, input_needs_grad)
        for d_in, d_out in pairwise(widths)
    )
