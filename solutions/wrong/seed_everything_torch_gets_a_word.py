"""seed_everything: torch gets the low 32 bits only

Breaks: (torch gets the whole seed,
"""


def seed_everything(seed):
    if not 0 <= seed < 2**63:
        raise ValueError(seed)
    random.seed(seed)
    np.random.seed([seed & 0xFFFFFFFF, seed >> 32])
    torch.manual_seed(seed & 0xFFFFFFFF)
