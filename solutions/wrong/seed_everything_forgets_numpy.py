"""seed_everything: numpy's generator is left out

Breaks: Seeds the global generators of `random`, `numpy.random` and `torch`

Costs: each check looks at all three generators.
"""


def seed_everything(seed):
    if not 0 <= seed < 2**63:
        raise ValueError(seed)
    random.seed(seed)
    torch.manual_seed(seed)
