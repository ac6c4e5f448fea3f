"""Optimizers: steps over many tensors, in place, and AdamW as a `torch.optim.Optimizer`.

The same for every step:

- params: the parameters, of any shapes; changed in place. They may require gradients: the step
  itself is not recorded for autograd.
- grads: a gradient for each parameter, of its shape; not changed.
- Each state has its parameter's shape, is zeros before the first step, and is changed in place.

A step over empty lists changes nothing, but refuses what any step refuses. nan is outside every
range; infinity is inside those without an upper end. With a weight decay of 0 you may leave λ · p
out, even where p is nan. The tensors at one position have one dtype, float32 or float64, and those
at another may have the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch.optim.optimizer import ParamsT

Tensors = Sequence[Float[torch.Tensor, "..."]]


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
    """One step of SGD with momentum over many tensors, in place.

    For each parameter p with gradient g and velocity v, in this order, as in `torch.optim.SGD`
    without dampening:

    1. g ← g + weight_decay · p: the decay is coupled, and enters the velocity. The gradient tensor
       itself does not change
    2. v ← momentum · v + g: the learning rate is not part of it
    3. p ← p − lr · v, or with nesterov p ← p − lr · (g + momentum · v), where v is the new v

    With a momentum of 0, line 2 gives v = g, and line 3 is plain gradient descent.

    Args:
        velocities: v for each parameter; changed in place, even if the momentum is 0.
        lr: the learning rate, 0 or more.
        momentum: μ, at least 0 and less than 1.
        nesterov: whether to look one step ahead (line 3); this needs a momentum above 0.
        weight_decay: λ, 0 or more.

    Raises:
        ValueError: the three lists differ in length, the tensors at one position differ in shape,
            a setting is out of range, or `nesterov` is used with a momentum of 0. No tensor has
            been changed.

    Source: Sutskever et al., "On the importance of initialization and momentum in deep learning",
    2013, with the learning rate outside the velocity, as in PyTorch.
    """
    raise NotImplementedError(
        "sgd_step: not started; see assignment/writeup/optimizers.md, or make hint EX=sgd_step"
    )


def adagrad_step(
    params: Tensors,
    grads: Tensors,
    sums: Tensors,
    *,
    lr: float,
    eps: float,
) -> None:
    """One AdaGrad step over many tensors, in place.

    For each parameter p with gradient g and sum of squared gradients s, in this order, as in
    `torch.optim.Adagrad`:

    1. s ← s + g²: old gradients never fade
    2. p ← p − lr · g / (√s + eps): eps is outside the square root

    Args:
        sums: s for each parameter.
        lr: the learning rate, 0 or more.
        eps: 0 or more; with 0, an element whose gradients were all 0 becomes 0 / 0, nan.

    Raises:
        ValueError: the three lists differ in length, the tensors at one position differ in shape,
            or a setting is out of range. No tensor has been changed.

    Source: Duchi, Hazan & Singer, "Adaptive Subgradient Methods", 2011, the diagonal version.
    """
    raise NotImplementedError(
        "rmsprop_step: not started; see assignment/writeup/optimizers.md, "
        "or make hint EX=rmsprop_step"
    )


def rmsprop_step(
    params: Tensors,
    grads: Tensors,
    square_avgs: Tensors,
    *,
    lr: float,
    alpha: float,
    eps: float,
) -> None:
    """One RMSProp step over many tensors, in place; not centered and without momentum.

    For each parameter p with gradient g and average squared gradient v, in this order, as in
    `torch.optim.RMSprop`:

    1. v ← alpha · v + (1 − alpha) · g²
    2. p ← p − lr · g / (√v + eps): eps is outside the square root, and v is not corrected for
       starting at zero

    Args:
        square_avgs: v for each parameter.
        lr: the learning rate, 0 or more.
        alpha: α, the fraction of v that is kept, at least 0 and less than 1.
        eps: 0 or more; with 0, an element whose gradients were all 0 becomes 0 / 0, nan.

    Raises:
        ValueError: the three lists differ in length, the tensors at one position differ in shape,
            or a setting is out of range. No tensor has been changed.

    Source: Tieleman & Hinton, "Neural Networks for Machine Learning", lecture 6.5, 2012.
    """
    raise NotImplementedError(
        "rmsprop_step: not started; see assignment/writeup/optimizers.md, "
        "or make hint EX=rmsprop_step"
    )


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
    """One Adam step over many tensors, in place.

    For each parameter p with gradient g and moments m (exp_avg) and v (exp_avg_sq), with
    t = step, in this order, as in `torch.optim.Adam`:

    1. g ← g + weight_decay · p: the decay is coupled (the gradient of an L2 penalty) and enters m
       and v. The gradient tensor itself does not change
    2. m ← m + (1 − β1) · (g − m)
    3. v ← β2 · v + (1 − β2) · g²
    4. p ← p − lr / (1 − β1ᵗ) · m / (√v / √(1 − β2ᵗ) + eps): eps is outside the square root, and is
       added after the bias correction

    Without weight decay this is `adamw_step` without weight decay.

    Args:
        exp_avgs, exp_avg_sqs: m and v for each parameter.
        step: t, the number of this step: 1 for the first.
        lr: the learning rate, 0 or more.
        betas: β1 and β2, each at least 0 and less than 1.
        eps: 0 or more; with 0, an element whose m and v are 0 becomes 0 / 0, nan.
        weight_decay: λ, 0 or more.

    Raises:
        ValueError: the four lists differ in length, the tensors at one position differ in shape,
            `step` is less than 1, or a setting is out of range. No tensor has been changed.

    Source: Kingma & Ba, "Adam: A Method for Stochastic Optimization", 2015, algorithm 1.
    """
    raise NotImplementedError(
        "adamw_step: not started; see assignment/writeup/optimizers.md, or make hint EX=adamw_step"
    )


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
    t = step, in this order, as in `torch.optim.AdamW`:

    1. p ← p · (1 − lr · weight_decay); the decay never enters m or v
    2. m ← m + (1 − β1) · (g − m)
    3. v ← β2 · v + (1 − β2) · g²
    4. p ← p − lr / (1 − β1ᵗ) · m / (√v / √(1 − β2ᵗ) + eps): eps is outside the square root, and is
       added after the bias correction

    Args:
        exp_avgs, exp_avg_sqs: m and v for each parameter.
        step: t, the number of this step: 1 for the first.
        lr: the learning rate, 0 or more.
        betas: β1 and β2, each at least 0 and less than 1.
        eps: 0 or more; with 0, an element whose m and v are 0 becomes 0 / 0, nan.
        weight_decay: λ, 0 or more.

    Raises:
        ValueError: the four lists differ in length, the tensors at one position differ in shape,
            `step` is less than 1, or a setting is out of range. No tensor has been changed.

    Source: Loshchilov & Hutter 2019, algorithm 2, with the schedule multiplier η = 1 and
    λ multiplied by the learning rate, as in PyTorch.
    """
    raise NotImplementedError(
        "adamw_step: not started; see assignment/writeup/optimizers.md, or make hint EX=adamw_step"
    )


class AdamW(torch.optim.Optimizer):
    """AdamW as a `torch.optim.Optimizer`; it computes the same as `torch.optim.AdamW`.

    `self.state[p]` holds, for each parameter that has had a gradient, "step" (how many steps p has
    taken, an int), "exp_avg" and "exp_avg_sq" (tensors of p's shape and dtype, initially zeros). So
    the inherited `state_dict()` and `load_state_dict()` save and restore everything. A new group in
    `param_groups` holds "params", "lr", "betas", "eps", "weight_decay" and what a scheduler adds,
    but no other setting: so `torch.optim.AdamW`, whose groups hold more, is not the base class. A
    scheduler may change settings between steps.
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        """Takes parameters, or groups of them as dicts with their own settings.

        Args:
            params: parameters, or dicts with "params" and any of the settings below.
            lr, betas, eps, weight_decay: as in `adamw_step`; the defaults for groups that do not
                set them.

        Raises:
            ValueError: a setting, or one of a group, is out of range (see `adamw_step`).
        """
        raise NotImplementedError(
            "adamw_optimizer: not started; see assignment/writeup/optimizers.md, "
            "or make hint EX=adamw_optimizer"
        )

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds a group, as `torch.optim.Optimizer` does; torch's constructor calls it for each.

        Args:
            param_group: "params" and any of the settings. The dict may become the group itself.

        Raises:
            ValueError: a setting is out of range. No group has been added.
        """
        raise NotImplementedError(
            "adamw_optimizer: not started; see assignment/writeup/optimizers.md, "
            "or make hint EX=adamw_optimizer"
        )

    def step(  # type: ignore[override]  # torch's own subclasses return what the closure did, too
        self, closure: Callable[[], torch.Tensor | float] | None = None
    ) -> torch.Tensor | float | None:
        """One step of every parameter that has a gradient, with its group's current settings.

        A parameter whose gradient is None is skipped: it does not decay, it gets no state, and its
        step count does not change. A gradient of zeros is not None and takes part. Parameters are
        changed in place, gradients are not changed, and autograd records nothing.

        The state may come from a `state_dict()` of `torch.optim.AdamW`, where "step" is a tensor
        that holds a whole number. The next step of the parameter makes it an int.

        Args:
            closure: if given, called once before the step, with gradients enabled; it computes the
                loss anew, calls `backward` and returns the loss.

        Returns:
            The closure's result, or None without a closure.
        """
        raise NotImplementedError(
            "adamw_optimizer: not started; see assignment/writeup/optimizers.md, "
            "or make hint EX=adamw_optimizer"
        )


def muon_step(
    params: Tensors,
    grads: Tensors,
    momentum_buffers: Tensors,
    *,
    lr: float,
    momentum: float,
    weight_decay: float,
) -> None:
    """One Muon step over many matrices, in place.

    For each parameter p with gradient g and momentum buffer b, in this order, as `torch.optim.Muon`
    does by default:

    1. b ← b + (1 − momentum) · (g − b)
    2. u ← g + momentum · (b − g), where b is the new b (Nesterov). The gradient tensor itself does
       not change
    3. p ← p · (1 − lr · weight_decay), whatever p's shape; the decay never enters b
    4. p ← p − lr · √max(1, rows / columns) · O, where O is u with its singular values brought close
       to 1

    O comes from five Newton–Schulz iterations. They begin with X = u / max(‖u‖, 1e-7), where ‖u‖ is
    the Frobenius norm, and end with X = O. Each is

        A = X·Xᵀ
        X ← 3.4445·X + (−4.7750·A + 2.0315·A·A)·X

    If p has more rows than columns, X begins as uᵀ / max(‖u‖, 1e-7) and ends as Oᵀ. So A has the
    size of p's shorter side, and no tensor that a step makes has more elements than p.

    Everything is computed in the parameter's dtype or a wider one. (torch rounds u to bfloat16, and
    its O is some percent off.)

    Args:
        params: matrices, each with at least one element.
        momentum_buffers: b for each parameter.
        lr: the learning rate, 0 or more.
        momentum: μ, at least 0 and less than 1.
        weight_decay: λ, 0 or more.

    Raises:
        ValueError: the three lists differ in length, the tensors at one position differ in shape,
            a parameter is not a matrix, or a setting is out of range. No tensor has been changed.

    Source: Jordan et al., "Muon: An optimizer for hidden layers in neural networks", 2024.
    """
    raise NotImplementedError(
        "muon_step: not started; see assignment/writeup/optimizers.md, or make hint EX=muon_step"
    )


def muon_flops(m: int, n: int, steps: int = 5) -> int:
    """FLOPs of the Newton–Schulz iterations of `muon_step` for one m×n matrix.

    Only matrix products count, and each iteration has three: X·Xᵀ, A·A and the last one, with X. A
    product (a×b)·(b×c) takes 2·a·b·c FLOPs, also where the result is symmetric.

    Args:
        m, n: rows and columns of the parameter; X has fewer rows than columns, or as many.
        steps: the number of iterations, 0 or more.

    Returns:
        The FLOPs of all iterations, an exact int.

    1024×4096 and 4096×1024 take the same:

        muon_flops(1024, 4096)  # 96_636_764_160
    """
    raise NotImplementedError(
        "muon_step: not started; see assignment/writeup/optimizers.md, or make hint EX=muon_step"
    )
