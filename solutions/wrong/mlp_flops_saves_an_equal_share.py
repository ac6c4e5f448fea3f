"""mlp_flops (core): all layers are taken to cost the same, so the first one saves an equal share"""


def mlp_backward_flops(batch, widths, input_needs_grad):
    forward, layers = mlp_forward_flops(batch, widths), len(widths) - 1
    return 2 * forward if input_needs_grad else forward + forward * (layers - 1) // layers
