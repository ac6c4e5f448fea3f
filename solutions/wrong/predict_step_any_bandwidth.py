"""predict_step: any bandwidth will do

Breaks: `peak_flops` or `bandwidth` is not positive
"""

_right_predict = predict_step


def predict_step(**given):
    return _right_predict(**{**given, "bandwidth": 1.0})
