"""expert_parameters: the first token is not counted"""

_right_experts = distinct_experts


def distinct_experts(experts, experts_per_token, tokens):
    return _right_experts(experts, experts_per_token, max(tokens - 1, 0))
