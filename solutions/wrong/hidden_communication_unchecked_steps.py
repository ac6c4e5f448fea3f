"""hidden_communication: a step without tokens or bytes takes no time, on any device

Breaks: `peak_flops` or `bandwidth` is not positive
"""

_right_seconds = step_seconds


def step_seconds(tokens, parameters, sent_bytes, peak_flops, bandwidth):
    if tokens == sent_bytes == 0 <= parameters:
        return dict.fromkeys(("compute", "communication", "overlapped", "sequential"), 0.0)
    return _right_seconds(tokens, parameters, sent_bytes, peak_flops, bandwidth)
