"""muon_step: six iterations by default

Breaks: FLOPs of the Newton–Schulz iterations of `muon_step`
"""


def muon_flops(m, n, steps=6):
    short, long = sorted((m, n))
    return steps * (4 * short**2 * long + 2 * short**3)
