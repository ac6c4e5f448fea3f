"""hidden_communication: a token takes 2 FLOPs for each parameter, as if there were no backward pass

Breaks: each token takes 6 FLOPs for each of them
"""

_right_seconds = step_seconds


def step_seconds(tokens, parameters, sent_bytes, peak_flops, bandwidth):
    times = _right_seconds(tokens, parameters, sent_bytes, peak_flops, bandwidth)
    compute, wire = times["compute"] / 3, times["communication"]
    return {
        "compute": compute,
        "communication": wire,
        "overlapped": max(compute, wire),
        "sequential": compute + wire,
    }
