"""hidden_communication: compute and communication the other way round

Breaks: Seconds of "compute" and of "communication".
"""

_right_seconds = step_seconds


def step_seconds(tokens, parameters, sent_bytes, peak_flops, bandwidth):
    times = _right_seconds(tokens, parameters, sent_bytes, peak_flops, bandwidth)
    return {**times, "compute": times["communication"], "communication": times["compute"]}
