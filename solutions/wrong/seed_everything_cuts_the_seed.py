"""seed_everything: numpy gets the low 32 bits only"""


def seed_everything(seed):
    if not 0 <= seed < 2**63:
        raise ValueError(seed)
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)
