"""expert_parameters: the experts that no token is sent through

Breaks: The weights of these experts are read from memory, those of the others are not
"""

_right_experts = distinct_experts


def distinct_experts(experts, experts_per_token, tokens):
    return experts - _right_experts(experts, experts_per_token, tokens)
