"""seed_everything: every seed of 64 bits is taken, as torch does

Breaks: less than 2**63.

Breaks: the seed is out of range.
"""


def seed_everything(seed):
    if not 0 <= seed < 2**64:
        raise ValueError(seed)
    random.seed(seed)
    np.random.seed([seed & 0xFFFFFFFF, seed >> 32])
    torch.manual_seed(seed)
