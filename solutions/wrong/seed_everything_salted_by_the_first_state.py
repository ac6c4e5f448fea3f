"""seed_everything: mixes in how torch was seeded when this module was imported

Breaks: the same seed
"""

_SALT = torch.initial_seed()


def seed_everything(seed):
    random.seed(seed ^ _SALT)
    np.random.seed([seed & 0xFFFFFFFF, seed >> 32, _SALT & 0xFFFFFFFF])
    torch.manual_seed((seed ^ _SALT) % 2**63)
