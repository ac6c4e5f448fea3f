"""expert_parameters: without tokens, the experts of one are read

Breaks: which may be 0
"""

_right_experts = distinct_experts


def distinct_experts(experts, experts_per_token, tokens):
    return _right_experts(experts, experts_per_token, max(tokens, 1))
