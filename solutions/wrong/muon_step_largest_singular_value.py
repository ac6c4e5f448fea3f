"""muon_step: divides by the largest singular value

Breaks: X = u / max(‖u‖, 1e-7), where ‖u‖ is the Frobenius norm

Costs: every step goes through the iterations; FLOPs alone are counted without them.
"""


def _orthogonalized(u):
    if u.shape[0] > u.shape[1]:
        return _orthogonalized(u.T).T
    x = u / torch.linalg.matrix_norm(u, 2).clamp(min=1e-7)
    for _ in range(5):
        a = x @ x.T
        bracket = -4.7750 * a + 2.0315 * a @ a
        x = 3.4445 * x + bracket @ x
    return x
