"""predict_step: counts are floats

Breaks: "parameters": an int

Breaks: "flops": an int
"""

_right_predict = predict_step


def predict_step(**given):
    found = _right_predict(**given)
    found["parameters"] = float(found["parameters"])
    found["flops"] = float(found["flops"])
    return found
