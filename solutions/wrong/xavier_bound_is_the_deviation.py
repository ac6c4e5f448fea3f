"""xavier: the standard deviation √(2 / (d_in + d_out)) is taken for the bound

Breaks: A uniform distribution on [-a, a] has variance a² / 3, so a = √(6 / (d_in + d_out)).

Costs: each check looks at the bounds.
"""


def xavier_uniform(d_in, d_out, seed):
    bound = math.sqrt(2 / (d_in + d_out))
    return (
        torch.rand(d_in, d_out, generator=_generator(seed), dtype=torch.float32) * 2 - 1
    ) * bound
