"""muon_step: A is m×m, also for more rows than columns

Breaks: X has fewer rows than columns, or as many
"""


def muon_flops(m, n, steps=5):
    return steps * (4 * m * m * n + 2 * m**3)
