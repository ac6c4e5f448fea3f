"""hidden_communication: milliseconds

Breaks: Seconds of "compute" and of "communication".

Breaks: Seconds that a training step takes on each device, with and without overlap of its traffic.
"""

_right_seconds = step_seconds


def step_seconds(tokens, parameters, sent_bytes, peak_flops, bandwidth):
    times = _right_seconds(tokens, parameters, sent_bytes, peak_flops, bandwidth)
    return {name: 1e3 * seconds for name, seconds in times.items()}
