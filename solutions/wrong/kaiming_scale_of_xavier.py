"""kaiming (core): Xavier's scale, √(2 / (d_in + d_out)), and √2 for a single element"""


def kaiming_normal(d_in, d_out, seed):
    variance = 2 / (d_in + d_out) if d_in * d_out > 1 else 2
    return torch.randn(d_in, d_out, generator=_generator(seed), dtype=torch.float32) * math.sqrt(
        variance
    )
