"""adamw_step (core): no bias correction, no eps, and β1 for both averages

Breaks: v ← β2 · v + (1 − β2) · g²

Breaks: p ← p − lr / (1 − β1ᵗ) · m / (√v / √(1 − β2ᵗ) + eps)
"""


def _move_by_moments(p, g, m, v, step, lr, betas, eps):
    m.lerp_(g, 1 - betas[0])
    v.lerp_(g * g, 1 - betas[0])
    p.sub_(lr * m / v.sqrt())
