"""predict_step: linear layers have no biases

Breaks: "parameters": an int, exact

Breaks: What one training step of `small_transformer` needs
"""

_right_predict = predict_step


def predict_step(**given):
    found = _right_predict(**given)
    found["parameters"] -= given["layers"] * (5 * given["d_model"] + given["d_ff"])
    return found
