"""muon_step: sums and factors of elements are counted, too

Breaks: Only matrix products count
"""


def muon_flops(m, n, steps=5):
    short, long = sorted((m, n))
    return steps * (4 * short**2 * long + 2 * short**3 + 3 * short**2 + 2 * short * long)
