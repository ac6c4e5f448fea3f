"""checkpointed_forward: under no_grad a plain loop runs, whatever the number of segments

Breaks: fewer than one segment, or more segments than layers

Breaks: under `torch.no_grad()` too
"""

_right_forward = checkpointed_forward


def checkpointed_forward(layers, x, segments):
    return _right_forward(layers, x, segments) if torch.is_grad_enabled() else _run(layers, x)
