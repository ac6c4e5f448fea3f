"""seed_everything: seeds new generators, not the global ones

Breaks: After the same seed, each of the three gives the same numbers again, whatever was drawn in
between.

Costs: no global generator is seeded.
"""


def seed_everything(seed):
    if not 0 <= seed < 2**63:
        raise ValueError(seed)
    random.Random(seed)
    np.random.default_rng(seed)
    torch.Generator().manual_seed(seed)
