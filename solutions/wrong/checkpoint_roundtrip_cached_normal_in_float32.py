"""checkpoint_roundtrip: the normal number that a generator keeps for the next call is rounded to float32

Breaks: resumes it bit for bit
"""

_random = _random_state


def _random_state():
    state = _random()
    *numpy_state, cached = state["numpy"]
    return state | {"numpy": (*numpy_state, torch.tensor(cached).item())}
