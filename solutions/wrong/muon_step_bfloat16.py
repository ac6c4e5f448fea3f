"""muon_step: iterates in bfloat16, as torch does

Breaks: Everything is computed in the parameter's dtype

Costs: every step goes through the iterations; FLOPs alone are counted without them.
"""


def _orthogonalized(u):
    if u.shape[0] > u.shape[1]:
        return _orthogonalized(u.T).T
    x = (u / u.norm().clamp(min=1e-7)).bfloat16()
    for _ in range(5):
        a = x @ x.T
        bracket = -4.7750 * a + 2.0315 * a @ a
        x = 3.4445 * x + bracket @ x
    return x.to(u.dtype)
