"""Drives the mixed-precision loops on a small two-layer model with given weights.

The dtypes reported here are hints for people. The tests judge the values: losses, scales, and how
far each parameter moved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch.nn import functional

from assignment.calls.world import generators_unchanged
from assignment.scenarios import scenario

Batch = tuple[torch.Tensor, torch.Tensor]


class DoublingLayer(torch.nn.Module):
    """Doubles its input in training mode, and in no other."""

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return 2 * inputs if self.training else inputs


class ExactBackward(torch.autograd.Function):
    """The identity. Its backward pass multiplies by 1, but by 0 if autocast computes in 16 bits."""

    @staticmethod
    def forward(ctx: Any, loss: torch.Tensor) -> torch.Tensor:
        return loss.clone()

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> torch.Tensor:
        row, column = torch.tensor([[1 + 2.0**-12, -1.0]]), torch.ones(2, 1)
        return grads[0] * ((row @ column).item() * 2.0**12)


class SmallModel(torch.nn.Module):
    """Linear, ReLU, Linear with four weights; a linear layer without bias with one; else identity.

    `unused` adds a parameter that does not affect the loss. `offset` is subtracted from the inputs
    first, by a hook; with `doubles` they are then doubled in training mode.
    """

    def __init__(
        self,
        weights: Sequence[torch.Tensor],
        unused: bool = False,
        offset: float = 0.0,
        doubles: bool = False,
    ) -> None:
        super().__init__()
        self.doubled = DoublingLayer() if doubles else torch.nn.Identity()
        self.weights = torch.nn.ParameterList([torch.nn.Parameter(w.clone()) for w in weights])
        self.unused = torch.nn.Parameter(torch.ones(3)) if unused else None
        self.output_dtype: torch.dtype | None = None
        self.register_forward_pre_hook(lambda _, inputs: (inputs[0] - offset,))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        inputs = self.doubled(inputs)
        if not self.weights:
            outputs = inputs
        elif len(self.weights) == 1:
            outputs = functional.linear(inputs, self.weights[0])
        else:
            w1, b1, w2, b2 = self.weights
            outputs = functional.linear(functional.linear(inputs, w1, b1).relu(), w2, b2)
        self.output_dtype = outputs.dtype
        return outputs


@scenario
def bf16_run(
    student: Any, weights: Sequence[torch.Tensor], batches: Iterable[Batch], **options: Any
) -> dict[str, Any]:
    """Trains a `SmallModel` by `train_bf16`; options and result are those of `_run`."""
    with _autocast_to_fp16():
        return _run(student.precision.train_bf16, weights, batches, **options)


@scenario
def fp16_run(
    student: Any, weights: Sequence[torch.Tensor], batches: Iterable[Batch], **options: Any
) -> dict[str, Any]:
    """Trains a `SmallModel` by `train_fp16`; as `bf16_run`, but the result has "scales" too."""
    scales: Iterable[float] = ()

    def train(*given: Any, **scaling: Any) -> Any:
        nonlocal scales
        losses, scales = student.precision.train_fp16(*given, **scaling)
        return losses

    return {**_run(train, weights, batches, **options), "scales": list(scales)}


def _run(
    train: Callable[..., Any],
    weights: Sequence[torch.Tensor],
    batches: Iterable[Batch],
    *,
    optimizer: str = "SGD",  # of torch.optim, as are its settings
    settings: dict[str, Any],
    loss: str = "mse_loss",  # of torch.nn.functional or `_LOSSES`
    loss_weight: float = 1.0,
    unused: bool = False,
    stale: float | None = None,  # the value of all gradients before training; None: there are none
    offset: float = 0.0,
    training: tuple[bool, bool] | None = None,  # modes of the model and of a doubling layer
    shift: torch.Tensor | None = None,
    slope: float = 0.0,
    **scaling: Any,  # further arguments of `train`
) -> dict[str, Any]:
    """Trains a `SmallModel`.

    `shift` is a parameter of the loss, not of the model: it is added to the model's outputs, and
    its sum, times `slope`, to the loss.

    Raises:
        LeftChanged: torch's or numpy's generator has changed.
    """
    model = SmallModel(weights, unused, offset, training is not None)
    model_mode, layer_mode = training or (True, True)
    model.train(model_mode)
    model.doubled.train(layer_mode)
    for weight in model.parameters():
        weight.grad = None if stale is None else torch.full_like(weight, stale)
    params, loss_fn = list(model.parameters()), _loss(loss, loss_weight)
    # Two groups, as where some parameters do not decay.
    groups = [{"params": part} for part in (params[:1], params[1:]) if part]
    if shift is not None:
        own, plain = torch.nn.Parameter(shift.clone()), loss_fn
        groups.append({"params": [own]})
        params.append(own)
        loss_fn = lambda outputs, targets: plain(outputs + own, targets) + slope * own.sum()  # noqa: E731
    made = getattr(torch.optim, optimizer)(groups, **settings)
    dtypes: set[torch.dtype] = set()
    made.register_step_pre_hook(
        lambda *_: dtypes.update(p.grad.dtype for p in params if p.grad is not None)
    )
    modes = _modes(model)
    with generators_unchanged("training"):
        # The batches as an iterable that is not a list, like a data loader.
        losses = train(model, made, (batch for batch in batches), loss_fn, **scaling)
    return {
        "params": list(model.weights),
        "unused": model.unused,
        "state": [dict(made.state.get(p, {})) for p in model.weights],
        "output_dtype": model.output_dtype,
        "gradient_dtypes": sorted(dtypes, key=str),
        "losses": list(losses),
        "modes_stay": _modes(model) == modes,
        **({} if shift is None else {"shift": own.detach()}),
    }


def _modes(model: torch.nn.Module) -> list[bool]:
    """The mode of each layer. It is reported, so that one test alone fails if it has changed."""
    return [module.training for module in model.modules()]


@contextmanager
def _autocast_to_fp16() -> Iterator[None]:
    """Inside, autocast without a dtype means float16 on a CPU, as it does on a GPU."""
    before = torch.get_autocast_dtype("cpu")
    torch.set_autocast_dtype("cpu", torch.float16)
    try:
        yield
    finally:
        torch.set_autocast_dtype("cpu", before)


def _squares_in_16_bits(outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """The mean square of the outputs, and a penalty if they come in float32."""
    rounded = (outputs + 32768.0) - 32768.0  # 0 in 16 bits; autocast does not change the dtype here
    return (outputs * outputs).mean() + 100 * rounded.abs().mean()


_LOSSES: dict[str, Callable[..., torch.Tensor]] = {
    "plus_infinity": lambda outputs, targets: functional.mse_loss(outputs, targets) + torch.inf,
    "plus_nan": lambda outputs, targets: functional.mse_loss(outputs, targets) + torch.nan,
    # Adds 0, whose gradient is 0 / 0.
    "gradient_of_nan": lambda outputs, targets: (
        functional.mse_loss(outputs, targets) + 0 * (0 * outputs.float()).sqrt().sum()
    ),
    "squares_in_16_bits": _squares_in_16_bits,
    "exact_backward": lambda outputs, targets: ExactBackward.apply(  # type: ignore[no-untyped-call]
        functional.mse_loss(outputs, targets)
    ),
}


def _loss(name: str, weight: float) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    function = _LOSSES.get(name) or getattr(functional, name)
    return lambda outputs, targets: function(outputs, targets) * weight
