"""muon_step: of symmetric results only half is counted

Breaks: also where the result is symmetric
"""


def muon_flops(m, n, steps=5):
    short, long = sorted((m, n))
    return steps * (3 * short**2 * long + short**3)
