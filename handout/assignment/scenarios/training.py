"""Drives the training loop, accumulation and clipping on small models.

A test's own functions take part in each pass of a model: what they answer changes the result. So
the test knows which passes ran, on what and in which order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import torch
from torch.nn import functional

from assignment.calls.world import LeftChanged, generators_unchanged
from assignment.scenarios import scenario
from assignment.scenarios.rolling import RollLayer

Tensors = Sequence[torch.Tensor]
Batches = Iterable[tuple[torch.Tensor, torch.Tensor]]


class _Masked(torch.nn.Module):
    """In training mode, multiplies its input by what `mask` returns for its shape."""

    def __init__(self, mask: Callable[[tuple[int, ...]], torch.Tensor]) -> None:
        super().__init__()
        self._mask = mask

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self._mask(tuple(x.shape)) if self.training else x


class Model(torch.nn.Module):
    """tanh layers with the given weights, the last linear.

    A matrix w makes a layer tanh(x @ w), where integers x are first taken modulo 7; a scalar makes
    a `RollLayer`, whose n is its index. With a `backward_factor`, a graph holds every fourth output
    of these as long as it exists, not only until its backward pass: memory shows that it is kept.

    In training mode the inputs are multiplied by what `mask` returns for their shape. Outputs are
    multiplied by what `forward_factor` returns for the inputs, and in each backward pass their
    gradient by what `backward_factor` returns. No output depends on the parameter `unused`.
    """

    def __init__(
        self,
        weights: Tensors,
        forward_factor: Callable[[torch.Tensor], float] | None = None,
        backward_factor: Callable[[], float] | None = None,
        mask: Callable[[tuple[int, ...]], torch.Tensor] | None = None,
        unused: torch.Tensor | None = None,
    ) -> None:
        super().__init__()
        self.unused = None if unused is None else torch.nn.Parameter(unused.clone())
        self.weights = torch.nn.ParameterList([torch.nn.Parameter(w.clone()) for w in weights])
        self._forward_factor, self._backward_factor = forward_factor, backward_factor
        self.masked = torch.nn.Sequential(*([_Masked(mask)] if mask else []))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        factor = self._forward_factor(x) if self._forward_factor else 1.0
        x = self.masked(x)
        if not x.is_floating_point():
            x = (x % 7).to(self.weights[0].dtype)
        kept = []
        for i, weight in enumerate(self.weights):
            if not weight.dim():
                x = RollLayer.apply(x, weight, i)  # type: ignore[no-untyped-call]
                if i % 4 == 0:
                    kept.append(x)
            else:
                x = x @ weight if i == 0 else x.tanh() @ weight
        x = x * factor
        if self._backward_factor and x.requires_grad:
            backward_factor = self._backward_factor
            # As a default, `kept` lives as long as the hook, which the graph holds.
            x.register_hook(lambda grad, kept=kept: grad * backward_factor())  # type: ignore[no-untyped-call]
        return x


class _Once:
    """An iterable that is no iterator, like a list or a data loader, and allows one loop."""

    def __init__(self, items: Iterator[Any]) -> None:
        self._items: Iterator[Any] | None = items

    def __iter__(self) -> Iterator[Any]:
        if self._items is None:
            raise LeftChanged("the batches are iterated over twice; once is all that is promised")
        items, self._items = self._items, None
        return items


@scenario
def train_run(
    student: Any,
    weights: Tensors,
    batches: Batches,  # of inputs and targets
    *,
    loss: str = "mse_loss",  # of torch.nn.functional
    stale: float | None = None,  # the value of all gradients before training; None: there are none
    eval_mode: bool | str = False,  # whether the model is in it before; "layers": only its layers
    unused: torch.Tensor | None = None,
    forward_factor: Callable[[torch.Tensor], float] | None = None,
    backward_factor: Callable[[], float] | None = None,
    shift: torch.Tensor | None = None,
    mask: Callable[[tuple[int, ...]], torch.Tensor] | None = None,
    stepped: Callable[[list[torch.Tensor]], None] | None = None,  # gets all weights after each step
    **settings: Any,  # SGD's
) -> dict[str, Any]:
    """Trains a `Model` by `train`.

    Returns "weights", "losses", the parameters "unused" and "shift", and "evaluating": which module
    was in evaluation mode, and when. A list of batches becomes an iterable that is no iterator.
    `shift` is a parameter of the loss, which adds it to the outputs; it is in a second group.

    Raises:
        LeftChanged: the batches were iterated over twice, or torch's or numpy's generator changed.
    """
    model = Model(weights, forward_factor, backward_factor, mask, unused)
    for module in model.children() if eval_mode == "layers" else (model,):
        module.train(not eval_mode)

    evaluating: list[str] = []

    def note_mode(when: str) -> None:
        names = [name for name, module in model.named_modules() if not module.training]
        if names:
            what = f"module {names[0]!r}" if names[0] else "the model"
            evaluating.append(f"{what} {when}")

    def source() -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        note_mode("when the first batch is requested")
        yield from batches

    plain = loss_fn = getattr(functional, loss)
    groups = [list(model.parameters())]
    shifted = None if shift is None else torch.nn.Parameter(shift.clone())
    if shifted is not None:
        groups.append([shifted])
        loss_fn = lambda outputs, targets: plain(outputs + shifted, targets)  # noqa: E731
    parameters: list[torch.Tensor] = [p for group in groups for p in group]
    if stale is not None:
        for p in parameters:
            p.grad = torch.full_like(p, stale)
    optimizer = torch.optim.SGD([{"params": group} for group in groups], **settings)
    if stepped:
        optimizer.register_step_post_hook(lambda *_: stepped(parameters))
    given = _Once(source()) if isinstance(batches, list) else source()
    with generators_unchanged("train"):
        losses = student.training.train(model, optimizer, given, loss_fn)
    note_mode("after train")
    return {
        "weights": [p.detach() for p in model.weights],
        "losses": losses,
        "evaluating": evaluating,
        "unused": None if model.unused is None else model.unused.detach(),
        "shift": None if shifted is None else shifted.detach(),
    }


@scenario
def accumulate_run(
    student: Any,
    weights: Tensors,
    inputs: torch.Tensor,
    targets: torch.Tensor,
    *,
    micro_batch: int,
    loss: str = "mse_loss",  # of torch.nn.functional
    before: Sequence[torch.Tensor | None] | None = None,  # the gradients before the first call
    frozen: Sequence[int] = (),  # indices of weights that need no gradient
    times: int = 1,  # how often it is called
    unused: torch.Tensor | None = None,
    eval_mode: bool = False,
    forward_factor: Callable[[torch.Tensor], float] | None = None,
    backward_factor: Callable[[], float] | None = None,
    mask: Callable[[tuple[int, ...]], torch.Tensor] | None = None,
) -> dict[str, Any]:
    """Calls `accumulate_gradients` with a `Model`; returns the last "loss", and the "grads".

    Raises:
        LeftChanged: a call changed a mode, or torch's or numpy's generator; or a gradient, though
            it raised.
    """
    model = Model(weights, forward_factor, backward_factor, mask, unused).train(not eval_mode)
    for i, weight in enumerate(model.weights):
        weight.requires_grad_(i not in frozen)
        if before is not None and before[i] is not None:
            weight.grad = torch.as_tensor(before[i]).clone()
    found, grads = None, [weight.grad for weight in model.weights]
    copies = [None if g is None else g.clone() for g in grads]
    for _ in range(times):
        try:
            with generators_unchanged("accumulate_gradients"):
                found = student.training.accumulate_gradients(
                    model, inputs, targets, getattr(functional, loss), micro_batch
                )
        except ValueError as error:
            for p, g, old in zip(model.weights, grads, copies, strict=True):
                if p.grad is not g or not (old is None or torch.equal(p.grad, old)):
                    raise LeftChanged("a call has raised, but changed a gradient") from error
            raise
        if any(module.training == eval_mode for module in model.modules()):
            raise LeftChanged("accumulate_gradients leaves the model in another mode")
    return {"loss": found, "grads": [p.grad for p in model.weights]}


@scenario
def clip_run(
    student: Any,
    grads: Sequence[torch.Tensor | None],
    max_norm: float,
    generator: bool = False,
    refused: bool = False,
    frozen: bool = False,
) -> dict[str, Any]:
    """Calls `clip_grad_norm`; returns the "norm", and the parameters' "grads" afterwards.

    `generator` passes the parameters as one. With `refused`, the call may raise ValueError or
    RuntimeError; the norm is then None. With `frozen`, every second parameter requires no gradient,
    but has one from before.

    Raises:
        LeftChanged: a gradient is another tensor, or changed in a call that raised; or torch's
            or numpy's generator has changed.
    """
    parameters = [
        torch.nn.Parameter(torch.zeros(3) if g is None else torch.zeros_like(g)) for g in grads
    ]
    for i, (p, g) in enumerate(zip(parameters, grads, strict=True)):
        p.grad = None if g is None else g.clone()
        p.requires_grad_(not frozen or i % 2 == 0)
    given, norm = [p.grad for p in parameters], None
    try:
        with generators_unchanged("clip_grad_norm"):
            norm = student.training.clip_grad_norm(
                (p for p in parameters) if generator else parameters, max_norm
            )
    except (ValueError, RuntimeError) as error:
        for p, g in zip(parameters, grads, strict=True):
            if g is not None and not torch.equal(g.nan_to_num(), p.grad.nan_to_num()):  # type: ignore[union-attr]
                raise LeftChanged("clip_grad_norm raised, but has changed a gradient") from error
        if isinstance(error, NotImplementedError) or not refused:
            raise
    if any(p.grad is not g for p, g in zip(parameters, given, strict=True)):
        raise LeftChanged("clip_grad_norm has replaced a gradient; change it in place")
    return {"norm": norm, "grads": [p.grad for p in parameters]}
