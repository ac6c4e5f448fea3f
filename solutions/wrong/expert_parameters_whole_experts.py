"""expert_parameters: the mean is rounded to whole experts

Breaks: The mean over all choices of the tokens, between 0 and `experts`
"""

_right_experts = distinct_experts


def distinct_experts(experts, experts_per_token, tokens):
    return float(round(_right_experts(experts, experts_per_token, tokens)))
