"""predict_step: a shared lm_head has no parameters, so it takes no FLOPs

Breaks: Exact for full marks
"""

_right_predict = predict_step


def predict_step(**given):
    found = _right_predict(**given)
    if given["tied"]:
        tokens = given["batch"] * given["context"]
        found["flops"] -= 6 * tokens * given["vocab"] * given["d_model"]
    return found
