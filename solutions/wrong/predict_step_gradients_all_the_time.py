"""predict_step: all gradients are there when the loss is, too

Breaks: "peak_bytes": the most bytes of tensors that are alive at once

Breaks: Within 5 % for full marks

Breaks: in the midst of its training
"""

_right_predict = predict_step


def predict_step(**given):
    found = _right_predict(**given)
    found["peak_bytes"] += 4 * found["parameters"]
    return found
