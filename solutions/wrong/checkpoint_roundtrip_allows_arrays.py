"""checkpoint_roundtrip: numpy's words are saved as an array, which loading is told to allow

Breaks: `torch.load(..., weights_only=True)` loads the file: a numpy array must become a list or a
tensor.
"""

import numpy as np
import torch

_random = _random_state


def _random_state():
    return _random() | {"numpy": np.random.get_state()}


def load_checkpoint(path, model, optimizer):
    torch.serialization.add_safe_globals(
        [np._core.multiarray._reconstruct, np.ndarray, np.dtype, np.dtypes.UInt32DType]
    )
    content = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(content["model"])
    optimizer.load_state_dict(content["optimizer"])
    _set_random_state(content["random"])
    return content["step"]
