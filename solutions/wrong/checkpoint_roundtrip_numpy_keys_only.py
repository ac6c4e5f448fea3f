"""checkpoint_roundtrip: numpy's keys are saved, but not its position among them

Breaks: so that `load_checkpoint` resumes it bit for bit

Breaks: numpy's (`np.random.get_state`)
"""

_set_all = _set_random_state


def _set_random_state(state):
    _set_all(state)
    keys = np.array(state["numpy"][1], dtype=np.uint32)
    np.random.set_state(("MT19937", keys, 624, 0, 0.0))
