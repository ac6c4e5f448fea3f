"""Correct, and written number by number: every tensor is split into Python floats."""

import math
from operator import mul

import torch


def sgd_step(
    params, grads, velocities, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0
):
    if not (lr >= 0 and weight_decay >= 0 and 0 <= momentum < 1):
        raise ValueError("a setting is out of range")
    if nesterov and not momentum:
        raise ValueError("nesterov needs momentum")

    def one(p, g, v):
        g += weight_decay * p
        v = momentum * v + g
        return p - lr * (g + momentum * v if nesterov else v), v

    run(one, params, grads, velocities)


def adagrad_step(params, grads, sums, *, lr, eps):
    if not (lr >= 0 and eps >= 0):
        raise ValueError("a setting is out of range")

    def one(p, g, s):
        s += g * g
        return p - quotient(lr * g, math.sqrt(s) + eps), s

    run(one, params, grads, sums)


def rmsprop_step(params, grads, square_avgs, *, lr, alpha, eps):
    if not (lr >= 0 and eps >= 0 and 0 <= alpha < 1):
        raise ValueError("a setting is out of range")

    def one(p, g, v):
        v = alpha * v + (1 - alpha) * g * g
        return p - quotient(lr * g, math.sqrt(v) + eps), v

    run(one, params, grads, square_avgs)


def adam_step(
    params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay=0.0
):
    check_adam(step, lr, betas, eps, weight_decay)

    def one(p, g, m, v):
        return moved(p, g + weight_decay * p, m, v, step, lr, betas, eps)

    run(one, params, grads, exp_avgs, exp_avg_sqs)


def adamw_step(
    params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay
):
    check_adam(step, lr, betas, eps, weight_decay)

    def one(p, g, m, v):
        return moved(p - lr * weight_decay * p, g, m, v, step, lr, betas, eps)

    run(one, params, grads, exp_avgs, exp_avg_sqs)


def quotient(a, b):
    """a / b as floats of any language divide, also by 0."""
    if b == 0:
        return a * math.inf
    return a / b


def moved(p, g, m, v, step, lr, betas, eps):
    m = betas[0] * m + (1 - betas[0]) * g
    v = betas[1] * v + (1 - betas[1]) * g * g
    m_hat, v_hat = m / (1 - betas[0] ** step), v / (1 - betas[1] ** step)
    return p - quotient(lr * m_hat, math.sqrt(v_hat) + eps), m, v


def check_adam(step, lr, betas, eps, weight_decay):
    if step <= 0 or not (lr >= 0 and eps >= 0 and weight_decay >= 0):
        raise ValueError("a setting is out of range")
    for beta in betas:
        if not 0 <= beta < 1:
            raise ValueError("a beta is out of range")


def run(one, params, grads, *states):
    """Applies `one` to each element, and stores the results in parameters and states."""
    for tensors in (grads, *states):
        if len(tensors) != len(params):
            raise ValueError("lists of different lengths")
        for p, tensor in zip(params, tensors):
            if p.shape != tensor.shape:
                raise ValueError("tensors of different shapes")
    for p, g, *kept in zip(params, grads, *states):
        columns = [t.detach().flatten().tolist() for t in (p, g, *kept)]
        rows = [one(*row) for row in zip(*columns)]
        for k, tensor in enumerate([p, *kept]):
            new = torch.tensor([row[k] for row in rows], dtype=tensor.dtype)
            tensor.detach().copy_(new.view(tensor.shape))


class AdamW(torch.optim.Optimizer):
    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2
    ):
        check_adam(1, lr, betas, eps, weight_decay)
        super().__init__(
            params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)
        )

    def add_param_group(self, param_group):
        whole = {**self.defaults, **param_group}
        check_adam(1, whole["lr"], whole["betas"], whole["eps"], whole["weight_decay"])
        super().add_param_group(param_group)

    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            settings = {k: group[k] for k in ("lr", "betas", "eps", "weight_decay")}
            for p in group["params"]:
                if p.grad is not None:
                    state = self.state[p]
                    state["step"] = int(state.get("step", 0)) + 1
                    for name in ("exp_avg", "exp_avg_sq"):
                        if name not in state:
                            state[name] = torch.zeros(p.shape, dtype=p.dtype)
                    adamw_step(
                        [p],
                        [p.grad],
                        [state["exp_avg"]],
                        [state["exp_avg_sq"]],
                        step=state["step"],
                        **settings,
                    )
        return loss


def muon_step(params, grads, momentum_buffers, *, lr, momentum, weight_decay):
    if not (lr >= 0 and weight_decay >= 0 and 0 <= momentum < 1):
        raise ValueError("a setting is out of range")
    for tensors in (grads, momentum_buffers):
        if len(tensors) != len(params):
            raise ValueError("lists of different lengths")
        for p, tensor in zip(params, tensors):
            if len(p.shape) != 2 or p.shape != tensor.shape:
                raise ValueError("tensors of different shapes, or no matrices")
    for p, g, b in zip(params, grads, momentum_buffers):
        rows, columns = p.shape
        new_b, updates = [], []
        for g_row, b_row in zip(g.tolist(), b.tolist()):
            new_b.append([momentum * y + (1 - momentum) * x for x, y in zip(g_row, b_row)])
            updates.append([(1 - momentum) * x + momentum * y for x, y in zip(g_row, new_b[-1])])
        if rows > columns:
            move = transposed(orthogonalized(transposed(updates)))
        else:
            move = orthogonalized(updates)
        rate = lr * math.sqrt(rows / columns) if rows > columns else lr
        new_p = [
            [x - lr * weight_decay * x - rate * y for x, y in zip(p_row, move_row)]
            for p_row, move_row in zip(p.tolist(), move)
        ]
        for tensor, new in ((b, new_b), (p, new_p)):
            tensor.detach().copy_(torch.tensor(new, dtype=tensor.dtype))


def transposed(rows):
    return [list(column) for column in zip(*rows)]


def dot(left, right):
    return sum(map(mul, left, right))


def orthogonalized(rows):
    length = math.sqrt(sum(dot(row, row) for row in rows))
    length = 1e-7 if length < 1e-7 else length
    rows = [[x / length for x in row] for row in rows]
    for _ in range(5):
        gram = [[dot(one, other) for other in rows] for one in rows]
        factors = [
            [-4.7750 * entry + 2.0315 * dot(row, column) for entry, column in zip(row, gram)]
            for row in gram
        ]
        for i, row in enumerate(factors):
            row[i] += 3.4445
        columns = list(zip(*rows))
        rows = [[dot(row, column) for column in columns] for row in factors]
    return rows


def muon_flops(m, n, steps=5):
    size = min(m, n)
    flops = 0
    for _ in range(steps):
        for rows, inner, columns in [
            (size, max(m, n), size),
            (size, size, size),
            (size, size, max(m, n)),
        ]:
            flops += 2 * rows * inner * columns
    return flops
