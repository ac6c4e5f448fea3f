"""expert_parameters: the share of the experts, not their number

Breaks: Expected number of a layer's routed experts that at least one token is sent through
"""

_right_experts = distinct_experts


def distinct_experts(experts, experts_per_token, tokens):
    return _right_experts(experts, experts_per_token, tokens) / experts
