"""Gradients: the backward pass by hand.

A gradient has the shape of the tensor that it belongs to. `grad_y` is the gradient of a scalar
loss L with respect to y, ∂L/∂y. Weights are stored d_in × d_out, so that a layer is `x @ w`.
(torch's `nn.Linear` stores the transpose.) Any size may be 0. No tensor that is passed requires a
gradient, and none may have changed after the call: not its values, its `.grad` or its
`requires_grad`. In 16 bits, each product and each sum may be rounded. The caller may have disabled
gradients.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from einops import einsum, reduce
from jaxtyping import Float


def linear_backward(
    x: Float[torch.Tensor, "*batch d_in"],
    w: Float[torch.Tensor, "d_in d_out"],
    grad_y: Float[torch.Tensor, "*batch d_out"],
) -> tuple[
    Float[torch.Tensor, "*batch d_in"],
    Float[torch.Tensor, "d_in d_out"],
    Float[torch.Tensor, " d_out"],
]:
    """Gradients of x, w and b where y = x @ w + b.

    All rows share w and b, so their gradients are sums over the rows, that is, over every leading
    axis. They are not means. (If the loss is a mean, grad_y already contains its 1/n.)

    Args:
        x: the layer's input, with any number of leading axes; with none it is a single row.

    Returns:
        (grad_x, grad_w, grad_b), with the shapes and dtypes of x, w and b. Without rows grad_w and
        grad_b are 0.

    Source: Stanford CS336, lecture 2. L = 0.5 (x·w − 5)² at x = [1, 2, 3], w = [1, 1, 1]: y is 6,
    so ∂L/∂y is 1.

        x, w = torch.tensor([1.0, 2.0, 3.0]), torch.ones(3, 1)
        linear_backward(x, w, torch.ones(1))  # [1, 1, 1], [[1], [2], [3]], [1]
    """
    grad_x = einsum(grad_y, w, "... d_out, d_in d_out -> ... d_in")
    return grad_x, _weight_grad(x, grad_y), reduce(grad_y, "... d_out -> d_out", "sum")


def mlp_backward(
    x: Float[torch.Tensor, "*batch d_in"],
    weights: Sequence[Float[torch.Tensor, "_ _"]],
    target: Float[torch.Tensor, "*batch d_out"],
) -> tuple[float, Sequence[Float[torch.Tensor, "_ _"]]]:
    """Loss of an MLP, and the gradients of its weights.

    Layers are linear without bias. There is a ReLU between two layers, and none after the last:
    with three weights, y = relu(relu(x @ w1) @ w2) @ w3. The loss is half the sum of the squared
    errors,

        L = 0.5 · Σ (y − target)²

    over all outputs of all rows: a sum, not a mean. The derivative of ReLU at exactly 0 is 0, as in
    torch.

    Args:
        x: the input, with any number of leading axes; with none it is a single row.
        weights: the weight of each layer, first to last, at least one; layer i is d_i × d_(i+1).
        target: the desired y, with y's shape.

    Returns:
        (loss, grads): a Python float, which in 16 bits may overflow to inf, and one gradient for
        each weight, first to last, with its shape and dtype.

    Source: Stanford CS336, lecture 2. L = 0.5 (x·w − 5)² at x = [1, 2, 3], w = [1, 1, 1]:

        x, w = torch.tensor([1.0, 2.0, 3.0]), torch.ones(3, 1)
        mlp_backward(x, [w], torch.tensor([5.0]))  # 0.5, [[[1], [2], [3]]]
    """
    # The forward pass keeps each layer's input. The backward pass needs nothing else: a ReLU's
    # output shows where its input was positive.
    inputs: list[torch.Tensor] = []
    y = x
    for w in weights:
        inputs.append(y.relu() if inputs else y)  # … × d_i
        y = inputs[-1] @ w  # … × d_(i+1)
    grad = y - target  # … × d_out, the gradient of the last layer's output
    loss = 0.5 * float(grad.square().sum())
    grads = [_weight_grad(inputs[-1], grad)]
    for i in range(len(weights) - 1, 0, -1):
        grad = grad @ weights[i].T * (inputs[i] > 0)  # … × d_i, of the output of layer i - 1
        grads.insert(0, _weight_grad(inputs[i - 1], grad))
    return loss, grads


def _weight_grad(
    x: Float[torch.Tensor, "*batch d_in"], grad_y: Float[torch.Tensor, "*batch d_out"]
) -> Float[torch.Tensor, "d_in d_out"]:
    return einsum(x, grad_y, "... d_in, ... d_out -> d_in d_out")
