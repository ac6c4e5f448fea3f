"""training_flops (core): 2 FLOPs for each parameter and token, without the backward pass

Breaks: FLOPs of a training run, 6 for each parameter and token ("6ND")

Breaks: The forward pass takes a multiplication and an addition for each parameter and token, the
backward pass twice as much
"""

_right_training = training_flops


def training_flops(parameters, tokens):
    return _right_training(parameters, tokens) // 3
