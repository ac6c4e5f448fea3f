"""checkpoint_roundtrip: numpy's words are saved as an array, which loading refuses

Breaks: `torch.load(..., weights_only=True)` loads the file: a numpy array must become a list or a
tensor.
"""

_random = _random_state


def _random_state():
    return _random() | {"numpy": np.random.get_state()}
