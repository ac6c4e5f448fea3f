"""kaiming (public): seeds and uses torch's global generator"""


def kaiming_normal(d_in, d_out, seed):
    _check_sizes(d_in, d_out)
    torch.manual_seed(seed)
    return torch.randn(d_in, d_out) * math.sqrt(2 / d_in)
