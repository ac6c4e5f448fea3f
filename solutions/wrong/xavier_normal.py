"""xavier: normal of the right variance, not uniform

Breaks: A weight by Xavier (Glorot) initialization, uniform.

Costs: each check looks at the bounds.
"""


def xavier_uniform(d_in, d_out, seed):
    return torch.randn(d_in, d_out, generator=_generator(seed), dtype=torch.float32) * math.sqrt(
        2 / (d_in + d_out)
    )
