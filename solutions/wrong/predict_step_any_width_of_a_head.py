"""predict_step: a head is d_model wide, as if each had the whole width

Breaks: A head is `d_model / heads` wide
"""

_right_predict = predict_step


def predict_step(**given):
    found = _right_predict(**given)
    more = given["layers"] * 4 * given["d_model"] ** 2 * (given["heads"] - 1)
    found["parameters"] += more
    found["flops"] += 6 * given["batch"] * given["context"] * more
    return found
