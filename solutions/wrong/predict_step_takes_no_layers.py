"""predict_step: a model may have no layers, and a batch no sequences

Breaks: a size is less than 1
"""

_right_predict = predict_step


def predict_step(**given):
    if min(given[name] for name in ("vocab", "context", "d_model", "heads", "d_ff")) < 1:
        raise ValueError("no model")
    return _right_predict(**{**given, **{n: max(given[n], 1) for n in ("layers", "batch")}})
