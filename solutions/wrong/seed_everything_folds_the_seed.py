"""seed_everything: all generators get both halves of the seed folded into 32 bits

Breaks: After different seeds, each gives different numbers.

Breaks: pass it a list of words that holds the whole seed.
"""


def seed_everything(seed):
    if not 0 <= seed < 2**63:
        raise ValueError(seed)
    folded = (seed ^ seed >> 32) & 0xFFFFFFFF
    random.seed(folded)
    np.random.seed(folded)
    torch.manual_seed(seed)
