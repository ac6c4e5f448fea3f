"""xavier: a seed of 0 is replaced by a default

Breaks: a seed with other low 32 bits gives others
"""

_draw = xavier_uniform


def xavier_uniform(d_in, d_out, seed):
    return _draw(d_in, d_out, seed or 1)
