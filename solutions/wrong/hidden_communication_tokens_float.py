"""hidden_communication: returns a float

Breaks: Counts of bytes are exact Python ints
"""

_right_tokens = hiding_tokens


def hiding_tokens(parameters, sent_bytes, peak_flops, bandwidth):
    return float(_right_tokens(parameters, sent_bytes, peak_flops, bandwidth))
