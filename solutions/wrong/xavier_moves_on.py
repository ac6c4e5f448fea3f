"""xavier: one generator is kept for each seed, and has moved on in the second call

Breaks: The same seed gives the same numbers,
"""

_generators = {}


def xavier_uniform(d_in, d_out, seed):
    bound = math.sqrt(6 / (d_in + d_out))
    generator = _generators.setdefault(seed, _generator(seed))
    return (torch.rand(d_in, d_out, generator=generator, dtype=torch.float32) * 2 - 1) * bound
