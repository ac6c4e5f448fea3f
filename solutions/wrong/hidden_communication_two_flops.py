"""hidden_communication (core): 2 FLOPs for each parameter, as without training, in floats

Breaks: each token takes 6 FLOPs for each of them
"""

_right_seconds, _right_tokens = step_seconds, hiding_tokens


def step_seconds(tokens, parameters, sent_bytes, peak_flops, bandwidth):
    _right_seconds(tokens, parameters, sent_bytes, peak_flops, bandwidth)  # refuses
    compute, wire = 2 * parameters * tokens / peak_flops, sent_bytes / bandwidth
    both = {"overlapped": max(compute, wire), "sequential": compute + wire}
    return {"compute": compute, "communication": wire, **both}


def hiding_tokens(parameters, sent_bytes, peak_flops, bandwidth):
    _right_tokens(parameters, sent_bytes, peak_flops, bandwidth)  # refuses
    return math.ceil(sent_bytes / bandwidth * peak_flops / (2 * parameters))
