"""muon_step: four iterations

Breaks: O comes from five Newton–Schulz iterations

Costs: every step goes through the iterations; FLOPs alone are counted without them.
"""


def _orthogonalized(u):
    if u.shape[0] > u.shape[1]:
        return _orthogonalized(u.T).T
    x = u / u.norm().clamp(min=1e-7)
    for _ in range(4):
        a = x @ x.T
        bracket = -4.7750 * a + 2.0315 * a @ a
        x = 3.4445 * x + bracket @ x
    return x
