"""predict_step: one sequence, not a batch

Breaks: What one training step of `small_transformer` needs, computed from its sizes
"""

_right_predict = predict_step


def predict_step(**given):
    found = _right_predict(**given)
    found = _right_predict(**{**given, "batch": 1})
    return found
