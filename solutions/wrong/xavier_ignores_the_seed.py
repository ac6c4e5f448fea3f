"""xavier: every seed gives the same weight

Breaks: and a seed with other low 32 bits gives others

Breaks: Every function draws from its own generator, made from `seed`:
"""

_xavier_uniform = xavier_uniform


def xavier_uniform(d_in, d_out, seed):
    return _xavier_uniform(d_in, d_out, 0)
