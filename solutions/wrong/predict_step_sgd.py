"""predict_step: the optimizer keeps no moments

Breaks: "peak_bytes": the most bytes of tensors that are alive at once

Breaks: within 25 % for part of them

Breaks: trained by torch's AdamW
"""

_right_predict = predict_step


def predict_step(**given):
    found = _right_predict(**given)
    found["peak_bytes"] -= 8 * found["parameters"]
    return found
