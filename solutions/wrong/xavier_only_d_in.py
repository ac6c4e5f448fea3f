"""xavier: scaled by d_in alone"""


def xavier_uniform(d_in, d_out, seed):
    _check_sizes(d_in, d_out)
    bound = math.sqrt(3 / d_in)
    return (torch.rand(d_in, d_out, generator=_generator(seed)) * 2 - 1) * bound
