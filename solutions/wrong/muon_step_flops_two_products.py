"""muon_step: A·A is left out

Breaks: each iteration has three: X·Xᵀ, A·A and the last one, with X
"""


def muon_flops(m, n, steps=5):
    short, long = sorted((m, n))
    return steps * 4 * short**2 * long
