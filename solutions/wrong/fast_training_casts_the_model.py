"""fast_training: the model itself is made bfloat16

Breaks: parameters and optimizer stay in float32
"""

_right_training_step = training_step


def training_step(model, optimizer, tokens):
    _right_training_step(model.bfloat16(), optimizer, tokens)
