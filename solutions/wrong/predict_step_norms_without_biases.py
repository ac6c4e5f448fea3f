"""predict_step: a LayerNorm has only weights, as an RMSNorm has

Breaks: "parameters": an int, exact
"""

_right_predict = predict_step


def predict_step(**given):
    found = _right_predict(**given)
    found["parameters"] -= (2 * given["layers"] + 1) * given["d_model"]
    return found
