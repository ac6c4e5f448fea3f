"""predict_step: a peak or a bandwidth of nan will do, as it is not "at most 0"

Breaks: nan is outside every range.
"""

_right_predict = predict_step


def predict_step(**given):
    rates = {name: given[name] for name in ("peak_flops", "bandwidth")}
    if min(rates.values()) <= 0:
        raise ValueError("no device")
    return _right_predict(**{**given, **dict.fromkeys(rates, 1.0)})
