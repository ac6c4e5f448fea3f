"""Drives the functions of the performance chapter on a CPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.nn import functional

from assignment.programs.training import Transformer
from assignment.scenarios import scenario


@scenario
def products(
    student: Any, x: torch.Tensor, weights: Sequence[torch.Tensor], order: Sequence[int]
) -> dict[str, Any]:
    """A `matmul_chain` of weights in the given order; the same weight may occur several times.

    Returns:
        "result", and "x" and "weights" after the call.
    """
    result = student.performance.matmul_chain(x, [weights[i] for i in order])
    return {"result": result, "x": x, "weights": list(weights)}


@scenario
def language_model_updates(
    student: Any,
    batches: Sequence[torch.Tensor],
    *,
    vocabulary: int,
    left: bool = False,
    dtype: torch.dtype = torch.float64,
) -> list[torch.Tensor]:
    """Trains a small transformer by `training_step`, with SGD and momentum.

    Args:
        batches: (batch, length + 1) tokens for each step.
        vocabulary: size of the vocabulary.
        left: whether the parameters already have gradients from an earlier step.
        dtype: dtype of the parameters.

    Returns:
        The parameters after the last step.
    """
    length = batches[0].shape[1] - 1
    sizes = {"layers": 2, "width": 16, "heads": 2, "length": length, "vocabulary": vocabulary}
    model = Transformer(sizes).double()
    model.attention = student.performance.causal_attention
    drawn = torch.Generator().manual_seed(length)
    for parameter in model.parameters():
        # Large enough that every part of the model has an effect.
        torch.nn.init.normal_(parameter, std=0.5, generator=drawn)
    for parameter in model.to(dtype).parameters():
        parameter.grad = torch.ones_like(parameter) if left else None
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for tokens in batches:
        student.performance.training_step(model, optimizer, tokens)
    return [parameter.detach() for parameter in model.parameters()]


@scenario
def language_model_losses(student: Any, *, steps: int, seed: int = 0) -> list[float]:
    """Trains a small transformer on one text by `training_step`, with torch's AdamW.

    Returns:
        The loss on that text before the first step, and after each.
    """
    sizes = {"layers": 1, "width": 32, "heads": 2, "length": 16, "vocabulary": 16}
    torch.manual_seed(seed)
    model = Transformer(sizes)
    model.attention = student.performance.causal_attention
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.05)
    tokens = torch.randint(sizes["vocabulary"], (2, sizes["length"] + 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)

    def loss() -> float:
        with torch.no_grad():
            logits = model(tokens[:, :-1])
        return float(functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten()))

    losses = [loss()]
    for _ in range(steps):
        student.performance.training_step(model, optimizer, tokens)
        losses.append(loss())
    return losses
