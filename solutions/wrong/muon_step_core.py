"""muon_step (core): the update is only divided by its norm, and its elements are counted

Breaks: O comes from five Newton–Schulz iterations

Breaks: each iteration has three: X·Xᵀ, A·A and the last one, with X
"""


def _orthogonalized(u):
    return u / u.norm().clamp(min=1e-7)


def muon_flops(m, n, steps=5):
    return 3 * m * n * steps
