"""Optimizers: AdamW, as a step over many tensors and as a `torch.optim.Optimizer`.

AdamW keeps two moving averages for each parameter, of its gradient (`exp_avg`) and of the
gradient's square (`exp_avg_sq`): 8 bytes a parameter in fp32. Its weight decay is decoupled from
both (Loshchilov & Hutter, "Decoupled Weight Decay Regularization", 2019).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

import torch
from jaxtyping import Float
from torch.optim.optimizer import ParamsT

Tensors = Sequence[Float[torch.Tensor, "..."]]


def adamw_step(
    params: Tensors,
    grads: Tensors,
    exp_avgs: Tensors,
    exp_avg_sqs: Tensors,
    *,
    step: int,
    lr: float,
    betas: tuple[float, float],
    eps: float,
    weight_decay: float,
) -> None:
    """One AdamW step over many tensors, in place.

    For each parameter p with gradient g and moments m (exp_avg) and v (exp_avg_sq), with
    t = step, in this order, which is that of `torch.optim.AdamW`:

    1. p ← p · (1 − lr · weight_decay); the decay never enters m or v
    2. m ← m + (1 − β1) · (g − m)
    3. v ← β2 · v + (1 − β2) · g²
    4. p ← p − lr / (1 − β1ᵗ) · m / (√v / √(1 − β2ᵗ) + eps): eps is outside the square root, and is
       added after the bias correction

    Args:
        params: the parameters, of any shapes; changed in place. They may require gradients: the
            step itself is not recorded for autograd.
        grads: a gradient for each parameter, of its shape; left as they are.
        exp_avgs: m for each parameter, zeros before the first step; changed in place.
        exp_avg_sqs: v for each parameter, zeros before the first step; changed in place.
        step: t, which step this is: 1 for the first.
        lr: the learning rate, 0 or more.
        betas: β1 and β2, each at least 0 and less than 1.
        eps: 0 or more.
        weight_decay: λ, 0 or more.

    Raises:
        ValueError: the four lists differ in length, the tensors at one position differ in shape,
            `step` is less than 1, or a setting lies outside its range. Nothing has been changed
            then.

    Source: Loshchilov & Hutter 2019, algorithm 2, with the schedule multiplier η = 1 and
    λ multiplied by the learning rate, as PyTorch does.
    """
    _check_settings(lr, betas, eps, weight_decay)
    if step < 1:
        raise ValueError(f"expected a step of at least 1 (the first is 1), got {step}")
    lengths = [len(tensors) for tensors in (params, grads, exp_avgs, exp_avg_sqs)]
    if len(set(lengths)) > 1:
        raise ValueError(
            "expected as many gradients, exp_avgs and exp_avg_sqs as parameters, "
            f"got {lengths[1:]} for {lengths[0]} parameters"
        )
    for i, tensors in enumerate(zip(params, grads, exp_avgs, exp_avg_sqs, strict=True)):
        shapes = [tuple(tensor.shape) for tensor in tensors]
        if len(set(shapes)) > 1:
            raise ValueError(
                f"expected gradient, exp_avg and exp_avg_sq {i} in the parameter's shape "
                f"{shapes[0]}, got {shapes[1:]}"
            )

    beta1, beta2 = betas
    step_size = lr / (1 - beta1**step)
    sqrt_correction2 = (1 - beta2**step) ** 0.5
    with torch.no_grad():
        for p, g, m, v in zip(params, grads, exp_avgs, exp_avg_sqs, strict=True):
            p.mul_(1 - lr * weight_decay)
            m.lerp_(g, 1 - beta1)
            v.mul_(beta2).addcmul_(g, g, value=1 - beta2)
            p.addcdiv_(m, (v.sqrt() / sqrt_correction2).add_(eps), value=-step_size)


class AdamW(torch.optim.Optimizer):
    """AdamW as a `torch.optim.Optimizer`, equal to `torch.optim.AdamW` in what it computes.

    `self.state[p]` holds, for each parameter that has had a gradient, "step" (how many steps p has
    taken, an int), "exp_avg" and "exp_avg_sq" (tensors like p, zeros at first): so `state_dict()`
    and `load_state_dict()`, which are inherited, save and restore everything. `param_groups` holds
    "lr", "betas", "eps" and "weight_decay" for each group, which a scheduler may change between
    steps.
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        """Takes parameters, or groups of them as dicts with settings of their own.

        Args:
            params: parameters, or dicts with "params" and any of the settings below.
            lr, betas, eps, weight_decay: as in `adamw_step`; the defaults of groups that do not
                set them.

        Raises:
            ValueError: a setting lies outside its range (see `adamw_step`).
        """
        _check_settings(lr, betas, eps, weight_decay)
        defaults = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, defaults)

    def step(  # type: ignore[override]  # torch's own subclasses return what the closure did, too
        self, closure: Callable[[], torch.Tensor | float] | None = None
    ) -> torch.Tensor | float | None:
        """One step of every parameter that has a gradient, with its group's settings of now.

        A parameter whose gradient is None is left alone: it is not decayed, it gets no state, and
        its own count of steps stands still. A gradient of zeros is a gradient. Parameters change in
        place; autograd records nothing.

        The state may have come from a `state_dict()` of `torch.optim.AdamW`, where "step" is a
        tensor that holds a whole number.

        Args:
            closure: if given, called once before the step, with gradients enabled; it computes the
                loss anew, calls `backward` and returns the loss.

        Returns:
            What the closure returned, or None without one.
        """
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            by_step: dict[int, list[torch.Tensor]] = defaultdict(list)
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["step"] = 0
                    state["exp_avg"] = torch.zeros_like(p, memory_format=torch.preserve_format)
                    state["exp_avg_sq"] = torch.zeros_like(p, memory_format=torch.preserve_format)
                state["step"] = int(state["step"]) + 1
                by_step[state["step"]].append(p)
            for step, params in by_step.items():
                adamw_step(
                    params,
                    [p.grad for p in params if p.grad is not None],
                    [self.state[p]["exp_avg"] for p in params],
                    [self.state[p]["exp_avg_sq"] for p in params],
                    step=step,
                    lr=group["lr"],
                    betas=group["betas"],
                    eps=group["eps"],
                    weight_decay=group["weight_decay"],
                )
        return loss


def _check_settings(lr: float, betas: tuple[float, float], eps: float, weight_decay: float) -> None:
    for name, value in [("lr", lr), ("eps", eps), ("weight_decay", weight_decay)]:
        if not value >= 0:
            raise ValueError(f"expected {name} of at least 0, got {value}")
    if len(betas) != 2 or not all(0 <= beta < 1 for beta in betas):
        raise ValueError(f"expected two betas, each at least 0 and less than 1, got {betas}")


def sgd_step(
    params: Tensors,
    grads: Tensors,
    velocities: Tensors,
    *,
    lr: float,
    momentum: float = 0.0,
    nesterov: bool = False,
    weight_decay: float = 0.0,
) -> None:
    """x"""
    raise NotImplementedError


def adagrad_step(
    params: Tensors,
    grads: Tensors,
    sums: Tensors,
    *,
    lr: float,
    eps: float,
) -> None:
    """x"""
    raise NotImplementedError


def rmsprop_step(
    params: Tensors,
    grads: Tensors,
    square_avgs: Tensors,
    *,
    lr: float,
    alpha: float,
    eps: float,
) -> None:
    """x"""
    raise NotImplementedError


def adam_step(
    params: Tensors,
    grads: Tensors,
    exp_avgs: Tensors,
    exp_avg_sqs: Tensors,
    *,
    step: int,
    lr: float,
    betas: tuple[float, float],
    eps: float,
    weight_decay: float = 0.0,
) -> None:
    """x"""
    raise NotImplementedError
