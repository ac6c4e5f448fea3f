"""expert_parameters: experts in common are subtracted for each pair of tokens, but not added again for three"""


def distinct_experts(experts, experts_per_token, tokens):
    pairs = tokens * (tokens - 1) / 2
    once = tokens * experts_per_token - pairs * experts_per_token**2 / experts
    return min(max(once, 0.0), float(experts))
