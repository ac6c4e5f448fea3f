"""seed_everything: seeds new generators, not the global ones"""


def seed_everything(seed):
    if not 0 <= seed < 2**63:
        raise ValueError(seed)
    random.Random(seed)
    np.random.default_rng(seed)
    torch.Generator().manual_seed(seed)
