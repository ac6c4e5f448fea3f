"""checkpointed_forward: without layers the input comes back

Breaks: so always without layers
"""

_right_forward = checkpointed_forward


def checkpointed_forward(layers, x, segments):
    return _right_forward(layers, x, segments) if layers else x
