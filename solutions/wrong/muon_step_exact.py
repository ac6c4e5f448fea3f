"""muon_step: all singular values become 1

Breaks: O comes from five Newton–Schulz iterations

Costs: every step goes through the iterations; FLOPs alone are counted without them.
"""


def _orthogonalized(u):
    left, sizes, right = torch.linalg.svd(u, full_matrices=False)
    return left * sizes.sign() @ right
