"""muon_step: the count goes through a float

Breaks: The FLOPs of all iterations, an exact int
"""


def muon_flops(m, n, steps=5):
    short, long = sorted((m, n))
    return int(steps * (4.0 * short**2 * long + 2 * short**3))
