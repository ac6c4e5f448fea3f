"""hidden_communication: negative traffic is hidden by 0 tokens

Breaks: `sent_bytes` is negative
"""

_right_tokens = hiding_tokens


def hiding_tokens(parameters, sent_bytes, peak_flops, bandwidth):
    return _right_tokens(parameters, max(sent_bytes, 0), peak_flops, bandwidth)
