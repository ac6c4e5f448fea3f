"""xavier: the weight is d_out × d_in, as nn.Linear stores it

Breaks: A weight has d_in rows and d_out columns, each at least 1, and is used as `x @ w`
"""

_xavier_uniform = xavier_uniform


def xavier_uniform(d_in, d_out, seed):
    return _xavier_uniform(d_out, d_in, seed)
