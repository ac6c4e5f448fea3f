"""fp16_train: a parameter without a gradient ends the training with an error

Breaks: None is skipped
"""


def _gradients(optimizer):
    return [p.grad.detach() for group in optimizer.param_groups for p in group["params"]]
