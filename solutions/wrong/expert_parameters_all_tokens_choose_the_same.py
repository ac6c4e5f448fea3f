"""expert_parameters: all tokens are sent through the same experts

Breaks: Expected number of a layer's routed experts that at least one token is sent through

Breaks: every such set is equally likely for it,
whatever the sets of the other tokens are
"""


def distinct_experts(experts, experts_per_token, tokens):
    return float(experts_per_token if tokens else 0)
