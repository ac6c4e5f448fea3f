"""hidden_communication: overlapped and sequential the other way round

Breaks: "sequential", if they never do: their sum.

Breaks: "overlapped", the step's time if both run at the same time from start to end
"""

_right_seconds = step_seconds


def step_seconds(tokens, parameters, sent_bytes, peak_flops, bandwidth):
    times = _right_seconds(tokens, parameters, sent_bytes, peak_flops, bandwidth)
    return {**times, "overlapped": times["sequential"], "sequential": times["overlapped"]}
