"""muon_step: additions are not counted

Breaks: A product (a×b)·(b×c) takes 2·a·b·c FLOPs
"""


def muon_flops(m, n, steps=5):
    short, long = sorted((m, n))
    return steps * (2 * short**2 * long + short**3)
