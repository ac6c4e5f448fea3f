"""expert_parameters: a batch with as many tokens as there are experts reads all of them"""

_right_experts = distinct_experts


def distinct_experts(experts, experts_per_token, tokens):
    if tokens >= experts:
        return float(experts)
    return _right_experts(experts, experts_per_token, tokens)
