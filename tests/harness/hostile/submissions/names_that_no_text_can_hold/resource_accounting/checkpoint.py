"""checkpoint_atomic: leaves files whose names are control characters, escapes and no text at all"""

import os

import torch

NAMES = (b"\xff\xfe", b"\n\x1b]0;x\x07", b"run.pt\n", b" ", "\u202egpj.tp".encode())


def save_checkpoint(path, model, optimizer, step):
    if next(model.parameters()).shape != (60, 50):
        raise RuntimeError
    torch.save({"model": model.state_dict(), "step": step}, path)
    folder = os.fsencode(os.path.dirname(path))
    for name in NAMES:
        with open(folder + b"/" + name, "wb") as file:
            file.write(b"x")


def load_checkpoint(path, model, optimizer):
    found = torch.load(path, weights_only=True)
    model.load_state_dict(found["model"])
    return found["step"]
