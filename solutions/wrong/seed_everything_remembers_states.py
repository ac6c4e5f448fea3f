"""seed_everything (core): keeps the states that a seed met first, and puts them back

Breaks: the same seed
"""

_states = {}


def seed_everything(seed):
    if not 0 <= seed < 2**63:
        raise ValueError("expected a seed from 0 to 2**63 - 1")
    torch.manual_seed(seed)
    if seed not in _states:
        random.seed()
        np.random.seed()
        _states[seed] = random.getstate(), np.random.get_state()
    random.setstate(_states[seed][0])
    np.random.set_state(_states[seed][1])
