"""xavier: scaled by d_in alone

Breaks: Xavier uses a value in between, 2 / (d_in + d_out).

Costs: each check looks at the bounds.
"""


def xavier_uniform(d_in, d_out, seed):
    bound = math.sqrt(3 / d_in)
    return (
        torch.rand(d_in, d_out, generator=_generator(seed), dtype=torch.float32) * 2 - 1
    ) * bound
