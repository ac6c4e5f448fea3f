"""predict_step: a matrix that embedding and lm_head share counts twice

Breaks: "parameters": an int, exact.
"""

_right_predict = predict_step


def predict_step(**given):
    found = _right_predict(**given)
    if given["tied"]:
        found["parameters"] += given["vocab"] * given["d_model"]
    return found
