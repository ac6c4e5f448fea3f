"""predict_step: the first layer's input gets no gradient, as data does

Breaks: Exact for full marks
"""

_right_predict = predict_step


def predict_step(**given):
    found = _right_predict(**given)
    rows = given["batch"] * given["context"] * given["d_model"]
    found["flops"] -= 6 * rows * given["d_model"]
    return found
