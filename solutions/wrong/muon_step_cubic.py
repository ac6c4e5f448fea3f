"""muon_step: the iteration of third degree, 1.5 and −0.5

Breaks: Each is

Costs: every step goes through the iterations; FLOPs alone are counted without them.
"""


def _orthogonalized(u):
    if u.shape[0] > u.shape[1]:
        return _orthogonalized(u.T).T
    x = u / u.norm().clamp(min=1e-7)
    for _ in range(5):
        a = x @ x.T
        x = 1.5 * x - 0.5 * a @ x
    return x
