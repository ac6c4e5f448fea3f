"""muon_step: the result for a tall matrix is reshaped, not transposed

Breaks: If p has more rows than columns, X begins as uᵀ / max(‖u‖, 1e-7) and ends as Oᵀ
"""


def _orthogonalized(u):
    if u.shape[0] > u.shape[1]:
        return _orthogonalized(u.T).reshape(u.shape)
    x = u / u.norm().clamp(min=1e-7)
    for _ in range(5):
        a = x @ x.T
        bracket = -4.7750 * a + 2.0315 * a @ a
        x = 3.4445 * x + bracket @ x
    return x
