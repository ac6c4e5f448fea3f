"""xavier: every seed gives the same weight

Breaks: and a seed with other low 32 bits gives others
"""

_kaiming_normal = kaiming_normal


def kaiming_normal(d_in, d_out, seed):
    return _kaiming_normal(d_in, d_out, 0)
