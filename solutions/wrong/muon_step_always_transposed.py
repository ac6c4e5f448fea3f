"""muon_step: A is as large as the number of columns, also for wide matrices

Breaks: no tensor that a step makes has more elements than p
"""


def _orthogonalized(u):
    x = (u / u.norm().clamp(min=1e-7)).T
    for _ in range(5):
        a = x @ x.T
        bracket = -4.7750 * a + 2.0315 * a @ a
        x = 3.4445 * x + bracket @ x
    return x.T
