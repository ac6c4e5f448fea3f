"""muon_step: A is as large as the number of rows, also for tall matrices

Breaks: If p has more rows than columns, X begins as uᵀ / max(‖u‖, 1e-7) and ends as Oᵀ

Breaks: no tensor that a step makes has more elements than p
"""


def _orthogonalized(u):
    x = u / u.norm().clamp(min=1e-7)
    for _ in range(5):
        a = x @ x.T
        bracket = -4.7750 * a + 2.0315 * a @ a
        x = 3.4445 * x + bracket @ x
    return x
