"""hidden_communication: takes the bytes for those of one token, so that one token is enough or none is

Breaks: `sent_bytes` does not depend on the tokens, as under ZeRO.
"""

_right_tokens = hiding_tokens


def hiding_tokens(parameters, sent_bytes, peak_flops, bandwidth):
    return min(1, _right_tokens(parameters, sent_bytes, peak_flops, bandwidth))
