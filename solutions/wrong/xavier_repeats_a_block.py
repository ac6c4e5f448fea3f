"""xavier: draws half of the rows and uses them twice

Breaks: each element drawn independently from [-a, a]
"""


def xavier_uniform(d_in, d_out, seed):
    bound = math.sqrt(6 / (d_in + d_out))
    half = torch.rand(d_in - d_in // 2, d_out, generator=_generator(seed), dtype=torch.float32)
    return torch.cat([half, half])[:d_in].mul(2 * bound).sub(bound)
