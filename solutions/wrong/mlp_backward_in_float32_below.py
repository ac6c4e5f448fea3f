"""mlp_backward: what has 16 bits is computed in float32, and the gradients stay there

Breaks: and one gradient for each weight, first to last, with its
"""

_right_mlp_backward = mlp_backward


def mlp_backward(x, weights, target):
    if x.dtype in (torch.bfloat16, torch.float16):
        x, target, weights = x.float(), target.float(), [w.float() for w in weights]
    return _right_mlp_backward(x, weights, target)
