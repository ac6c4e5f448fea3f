"""hidden_communication: nan is not below 0, and passes

Breaks: nan is outside every range, so it is not positive

Breaks: `peak_flops` or `bandwidth` is not positive
"""


def step_seconds(tokens, parameters, sent_bytes, peak_flops, bandwidth):
    if min(tokens, parameters, sent_bytes) < 0 or peak_flops <= 0 or bandwidth <= 0:
        raise ValueError("cannot be")
    compute, wire = 6 * parameters * tokens / peak_flops, sent_bytes / bandwidth
    return {
        "compute": compute,
        "communication": wire,
        "overlapped": max(compute, wire),
        "sequential": compute + wire,
    }
