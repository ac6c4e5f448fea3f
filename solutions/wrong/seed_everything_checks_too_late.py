"""seed_everything: has seeded random before it refuses

Breaks: No generator has been changed.
"""


def seed_everything(seed):
    random.seed(seed)
    if not 0 <= seed < 2**63:
        raise ValueError(seed)
    np.random.seed([seed & 0xFFFFFFFF, seed >> 32])
    torch.manual_seed(seed)
