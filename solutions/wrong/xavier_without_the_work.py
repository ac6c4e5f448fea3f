"""xavier (core): uniform between -0.1 and 0.1 whatever the sizes, and √3 for a single element; Xavier's scale, √(2 / (d_in + d_out)), and √2 for a single element"""


def xavier_uniform(d_in, d_out, seed):
    bound = 0.1 if d_in * d_out > 1 else math.sqrt(3)
    return (
        2 * torch.rand(d_in, d_out, generator=_generator(seed), dtype=torch.float32) - 1
    ) * bound


def kaiming_normal(d_in, d_out, seed):
    variance = 2 / (d_in + d_out) if d_in * d_out > 1 else 2
    return torch.randn(d_in, d_out, generator=_generator(seed), dtype=torch.float32) * math.sqrt(
        variance
    )
