"""Drives a deep network through a forward and a backward pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from assignment.scenarios import scenario


@scenario
def deep_network_pass(
    student: Any,
    width: int,
    layers: int,
    outputs: int,
    x: torch.Tensor,
    grad: torch.Tensor,  # of the output
    weights: Sequence[torch.Tensor] | None = None,  # to load; None keeps those that it drew
) -> dict[str, Any]:
    """Makes a `DeepNetwork`, converts it to the dtype of x, and runs a forward and backward pass.

    Returns:
        "drawn", the parameters as the constructor made them; "output"; "grads", the gradients of
        the parameters; for people, "kept_bytes": what autograd keeps of the forward pass, without
        the parameters and x.

    Raises:
        ValueError: the network's `state_dict` does not have tensors of the shapes of `weights`.
    """
    network = student.ledger.DeepNetwork(width, layers, outputs)
    drawn = [p.detach().clone() for p in network.parameters()]
    network.to(x.dtype)
    if weights is not None:
        state = network.state_dict()
        found, expected = ([tuple(t.shape) for t in ts] for ts in (state.values(), weights))
        if found != expected:
            raise ValueError(f"the network's state_dict has the shapes {found}, not {expected}")
        network.load_state_dict(dict(zip(state, weights, strict=True)))
    known = {t.untyped_storage().data_ptr() for t in (x, *network.parameters())}
    kept: dict[int, int] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in known:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        output = network(x)
    (output * grad).sum().backward()  # `output.backward(grad)` loads sympy first
    return {
        "drawn": drawn,
        "output": output.detach(),
        "grads": [p.grad for p in network.parameters()],
        "kept_bytes": sum(kept.values()),
    }
