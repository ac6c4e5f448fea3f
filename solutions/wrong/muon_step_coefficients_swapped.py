"""muon_step: −4.7750 belongs to A·A, and 2.0315 to A

Breaks: Each is

Costs: every step goes through the iterations; FLOPs alone are counted without them.
"""


def _orthogonalized(u):
    if u.shape[0] > u.shape[1]:
        return _orthogonalized(u.T).T
    x = u / u.norm().clamp(min=1e-7)
    for _ in range(5):
        a = x @ x.T
        x = 3.4445 * x + (2.0315 * a - 4.7750 * a @ a) @ x
    return x
