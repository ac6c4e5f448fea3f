"""expert_parameters: the mean of a thousand draws

Breaks: The mean over all choices of the tokens, between 0 and `experts`
"""

import random


def distinct_experts(experts, experts_per_token, tokens):
    found = 0
    for _ in range(1000 if tokens * experts_per_token < 100 else 1):
        seen = set()
        for _ in range(min(tokens, 2000)):
            seen |= set(random.sample(range(experts), experts_per_token))
        found += len(seen) / (1000 if tokens * experts_per_token < 100 else 1)
    return found
