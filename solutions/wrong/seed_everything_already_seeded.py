"""seed_everything: the same seed once more does nothing

Breaks: whatever was drawn in between.
"""

_seed_everything, _current = seed_everything, None


def seed_everything(seed):
    global _current
    if seed != _current:
        _seed_everything(seed)
        _current = seed
