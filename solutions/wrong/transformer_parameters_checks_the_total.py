"""transformer_parameters: only a negative total is refused, not every negative size

Breaks: a size is negative
"""

_right_parameters, _right_check = transformer_parameters, _check_sizes


def transformer_parameters(**sizes):
    globals()["_check_sizes"] = lambda **_: None
    try:
        parts = _right_parameters(**sizes)
    finally:
        globals()["_check_sizes"] = _right_check
    if parts["total"] < 0:
        raise ValueError("negative")
    return parts
