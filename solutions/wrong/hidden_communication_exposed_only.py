"""hidden_communication: sequential is what is left of the communication behind compute

Breaks: "sequential", if they never do: their sum.

Breaks: Seconds that a training step takes on each device, with and without overlap of its traffic.
"""

_right_seconds = step_seconds


def step_seconds(tokens, parameters, sent_bytes, peak_flops, bandwidth):
    times = _right_seconds(tokens, parameters, sent_bytes, peak_flops, bandwidth)
    return {**times, "sequential": max(times["communication"] - times["compute"], 0.0)}
