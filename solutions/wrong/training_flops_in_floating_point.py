"""training_flops: the FLOPs are rounded to a float's 53 bits"""

_right_training = training_flops


def training_flops(parameters, tokens):
    return int(float(_right_training(parameters, tokens)))
