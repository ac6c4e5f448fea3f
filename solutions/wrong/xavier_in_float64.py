"""xavier: the weight is drawn in float64 and stays there

Breaks: A float32 weight,
"""


def xavier_uniform(d_in, d_out, seed):
    bound = math.sqrt(6 / (d_in + d_out))
    uniform = torch.rand(d_in, d_out, generator=_generator(seed), dtype=torch.float64)
    return (uniform * 2 - 1) * bound
