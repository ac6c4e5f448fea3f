"""hidden_communication: without parameters nothing is hidden, and 0 tokens are enough

Breaks: `parameters` is less than 1
"""

_right_tokens = hiding_tokens


def hiding_tokens(parameters, sent_bytes, peak_flops, bandwidth):
    if parameters == 0 and sent_bytes >= 0 and peak_flops > 0 and bandwidth > 0:
        return 0
    return _right_tokens(parameters, sent_bytes, peak_flops, bandwidth)
