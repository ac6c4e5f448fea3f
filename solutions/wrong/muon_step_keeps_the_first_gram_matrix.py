"""muon_step: A is computed once, before the iterations

Breaks: Each is

Costs: every step goes through the iterations; FLOPs alone are counted without them.
"""


def _orthogonalized(u):
    if u.shape[0] > u.shape[1]:
        return _orthogonalized(u.T).T
    x = u / u.norm().clamp(min=1e-7)
    a = x @ x.T
    for _ in range(5):
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return x
