"""hidden_communication: two negative counts make a positive time

Breaks: a count is negative
"""

_right_seconds = step_seconds


def step_seconds(tokens, parameters, sent_bytes, peak_flops, bandwidth):
    if tokens * parameters < 0 or sent_bytes < 0:
        raise ValueError("negative")
    return _right_seconds(abs(tokens), abs(parameters), sent_bytes, peak_flops, bandwidth)
