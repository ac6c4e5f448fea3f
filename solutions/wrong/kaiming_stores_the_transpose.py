"""xavier: the weight is d_out × d_in, as nn.Linear stores it"""

_kaiming_normal = kaiming_normal


def kaiming_normal(d_in, d_out, seed):
    return _kaiming_normal(d_in, d_out, seed).T.contiguous()
