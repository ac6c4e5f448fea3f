"""expert_parameters: a logarithm, of 0 where each token takes all experts"""


def distinct_experts(experts, experts_per_token, tokens):
    stays = math.log1p(-experts_per_token / experts)
    return -experts * math.expm1(tokens * stays)
