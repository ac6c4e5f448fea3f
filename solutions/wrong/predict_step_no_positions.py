"""predict_step: the position embedding has no parameters, as in RoPE

Breaks: "parameters": an int, exact
"""

_right_predict = predict_step


def predict_step(**given):
    found = _right_predict(**given)
    found["parameters"] -= given["context"] * given["d_model"]
    return found
