"""muon_step: five iterations, whatever `steps` is

Breaks: steps: the number of iterations, 0 or more
"""


def muon_flops(m, n, steps=5):
    short, long = sorted((m, n))
    return 5 * (4 * short**2 * long + 2 * short**3)
