"""Drives the functions of the performance chapter on a CPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from assignment.material.small_transformer import cross_entropy
from assignment.programs.training import Transformer
from assignment.scenarios import scenario


@scenario
def products(
    student: Any, matrices: Sequence[torch.Tensor], chains: Sequence[Sequence[int]]
) -> list[torch.Tensor]:
    """The `matmul_chain` of each chain: a list of indices of x, then of the weights, in `matrices`.

    All chains get the same matrices: if one changes a matrix, later results show it.
    """
    return [
        student.performance.matmul_chain(matrices[x], [matrices[i] for i in order]).clone()
        for x, *order in chains
    ]


@scenario
def language_model_updates(
    student: Any,
    batches: Sequence[torch.Tensor],  # (batch, length + 1) tokens for each step
    *,
    vocabulary: int,
    optimizers: int = 1,
    dtype: torch.dtype = torch.float64,  # of the parameters
) -> list[torch.Tensor]:
    """Trains a small transformer by `training_step`, with SGD and momentum; returns its parameters.

    Several optimizers share out the parameters and take turns, so that each step finds gradients
    of the parameters that are not its own.

    Raises:
        TypeError: a step returned something.
    """
    length = batches[0].shape[1] - 1
    sizes = {"layers": 2, "width": 16, "heads": 2, "length": length, "vocabulary": vocabulary}
    model = Transformer(sizes).double()
    model.attention = student.performance.causal_attention
    drawn = torch.Generator().manual_seed(length)
    for parameter in model.parameters():
        # Large enough that every part of the model has an effect.
        torch.nn.init.normal_(parameter, std=0.5, generator=drawn)
    parameters = list(model.to(dtype).parameters())
    turns = [
        torch.optim.SGD(parameters[first::optimizers], lr=0.1, momentum=0.9)
        for first in range(optimizers)
    ]
    for i, tokens in enumerate(batches):
        returned = student.performance.training_step(model, turns[i % optimizers], tokens)
        if returned is not None:
            raise TypeError(f"training_step returned {returned!r}; the caller expects None")
    return [parameter.detach() for parameter in parameters]


@scenario
def language_model_losses(student: Any, *, steps: int) -> list[float]:
    """Trains a small transformer on one text by `training_step`, with torch's AdamW.

    Returns the loss on that text before the first step, and after each.
    """
    sizes = {"layers": 1, "width": 32, "heads": 2, "length": 16, "vocabulary": 16}
    torch.manual_seed(0)
    model = Transformer(sizes)
    model.attention = student.performance.causal_attention
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.05)
    tokens = torch.randint(sizes["vocabulary"], (2, sizes["length"] + 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)

    def loss() -> float:
        with torch.no_grad():
            return float(cross_entropy(model(tokens[:, :-1]), tokens[:, 1:]))

    losses = [loss()]
    for _ in range(steps):
        student.performance.training_step(model, optimizer, tokens)
        losses.append(loss())
    return losses
