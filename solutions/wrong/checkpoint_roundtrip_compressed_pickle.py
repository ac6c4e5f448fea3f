"""checkpoint_roundtrip: a compressed pickle, of which loading runs whatever is in it

Breaks: `torch.load(..., weights_only=True)` loads the file: a numpy array must become a list or a
tensor.
"""

import bz2
import io

import numpy as np


def save_checkpoint(path, model, optimizer, step):
    file = io.BytesIO()
    content = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "step": step,
        "torch": torch.get_rng_state(),
        "numpy": np.random.get_state(),
        "python": random.getstate(),
    }
    torch.save(content, file)
    Path(path).write_bytes(bz2.compress(file.getvalue()))


def load_checkpoint(path, model, optimizer):
    content = torch.load(io.BytesIO(bz2.decompress(Path(path).read_bytes())), weights_only=False)
    model.load_state_dict(content["model"])
    optimizer.load_state_dict(content["optimizer"])
    torch.set_rng_state(content["torch"])
    np.random.set_state(content["numpy"])
    random.setstate(content["python"])
    return content["step"]
