"""predict_step: the mask is forgotten

Breaks: "peak_bytes": the most bytes of tensors that are alive at once

Breaks: Within 5 % for full marks
"""

_right_predict = predict_step


def predict_step(**given):
    found = _right_predict(**given)
    found["peak_bytes"] -= given["context"] ** 2
    return found
