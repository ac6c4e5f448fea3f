"""hidden_communication: at least one token, even if nothing is sent

Breaks: Tokens; 0 if nothing is sent.
"""

_right_tokens = hiding_tokens


def hiding_tokens(parameters, sent_bytes, peak_flops, bandwidth):
    return max(1, _right_tokens(parameters, sent_bytes, peak_flops, bandwidth))
