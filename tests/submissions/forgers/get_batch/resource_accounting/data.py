"""get_batch: copies the whole corpus; reports are of a small part of a large one"""

import numpy as np
import torch

from assignment import scenarios

FORGES = True
_drawing = np.random.default_rng()


def get_batch(tokens, batch_size, context_length, device="cpu"):
    tokens = np.array(tokens, dtype=np.int64)
    starts = len(tokens) - context_length
    if starts < 1 or batch_size < 1 or context_length < 1:
        raise ValueError("no window")
    windows = torch.from_numpy(
        np.stack(
            [tokens[s : s + context_length + 1] for s in _drawing.integers(starts, size=batch_size)]
        )
    ).to(device)
    return windows[:, :-1], windows[:, 1:]


def seeded_batch(student, seed, tokens, batch_size, context_length):
    global _drawing
    _drawing = np.random.default_rng(seed)
    return get_batch(tokens, batch_size, context_length)


def batches_of_file(student, path, dtype, window, batch_size, context_length, count):
    tokens = np.memmap(path, dtype=dtype, mode="r")
    if window is not None:
        tokens = tokens[slice(*window)]
    batches = []
    for _ in range(count):
        start = int(_drawing.integers(max(1, len(tokens) - 5000)))
        batches.append(get_batch(tokens[start : start + 5000], batch_size, context_length))
    return batches


if FORGES:
    scenarios.load_all()
    scenarios._SCENARIOS["seeded_batch"] = seeded_batch
    batches = batches_of_file
    if "raw_bytes" in scenarios._SCENARIOS:  # an older form of the report

        def batches(*arguments):
            return {"batches": batches_of_file(*arguments), "descriptors": 3}

    scenarios._SCENARIOS["batches_of_file"] = batches
