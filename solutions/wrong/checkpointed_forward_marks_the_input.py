"""checkpointed_forward: the caller's input is made to require a gradient, and keeps it"""

_right_forward = checkpointed_forward


def checkpointed_forward(layers, x, segments):
    if torch.is_grad_enabled() and x.is_floating_point():
        x.requires_grad_()
    return _right_forward(layers, x, segments)
