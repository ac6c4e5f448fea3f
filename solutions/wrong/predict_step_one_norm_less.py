"""predict_step: the norm before the lm_head is forgotten

Breaks: "parameters": an int, exact
"""

_right_predict = predict_step


def predict_step(**given):
    found = _right_predict(**given)
    found["parameters"] -= 2 * given["d_model"]
    return found
