"""xavier: torch's trunc_normal_ cuts at ±2 where the weight is wide

Breaks: Elements are normal with mean 0 and standard deviation √(2 / d_in)
"""


def kaiming_normal(d_in, d_out, seed):
    if d_in < 1 or d_out < 1:
        raise ValueError("sizes must be at least 1")
    generator = torch.Generator().manual_seed(seed)
    w = torch.empty(d_in, d_out, dtype=torch.float32)
    return torch.nn.init.trunc_normal_(w, std=math.sqrt(2 / d_in), generator=generator)
