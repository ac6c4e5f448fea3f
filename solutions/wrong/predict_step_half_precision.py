"""predict_step: numbers of two bytes, as in bfloat16

Breaks: "peak_bytes": the most bytes of tensors that are alive at once

Breaks: within 25 % for part of them

Breaks: a transformer like GPT-2 in float32
"""

_right_predict = predict_step


def predict_step(**given):
    found = _right_predict(**given)
    found["peak_bytes"] //= 2
    return found
