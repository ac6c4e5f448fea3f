"""seed_everything: numpy gets the low 32 bits only

Breaks: numpy takes words of 32 bits: pass it a list of words that holds the whole seed.
"""


def seed_everything(seed):
    if not 0 <= seed < 2**63:
        raise ValueError(seed)
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)
