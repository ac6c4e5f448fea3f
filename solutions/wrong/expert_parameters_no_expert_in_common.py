"""expert_parameters: no two tokens choose the same expert while others are left

Breaks: whatever the sets of the other tokens are

Breaks: The mean over all choices of the tokens, between 0 and `experts`
"""


def distinct_experts(experts, experts_per_token, tokens):
    return float(min(experts, tokens * experts_per_token))
