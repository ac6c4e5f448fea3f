"""predict_step: heads need not divide the width"""

_right_predict = predict_step


def predict_step(**given):
    if given["heads"] < 1:
        raise ValueError("no heads")
    return _right_predict(**{**given, "heads": 1})
