"""checkpoint_roundtrip: numpy's words are saved as an array, which loading refuses

Breaks: It holds nothing that `torch.load(..., weights_only=True)` refuses: a numpy array must
become a list or a tensor.
"""

_random = _random_state


def _random_state():
    return _random() | {"numpy": np.random.get_state()}
