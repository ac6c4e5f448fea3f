"""expert_parameters: a token may choose an expert twice

Breaks: Each token is
sent through `experts_per_token` different experts
"""


def distinct_experts(experts, experts_per_token, tokens):
    return experts * (1 - (1 - 1 / experts) ** (tokens * experts_per_token))
