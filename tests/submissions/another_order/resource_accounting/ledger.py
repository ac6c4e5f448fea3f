from fractions import Fraction
from itertools import accumulate, repeat

import torch
from torch.nn import functional

from .budget import training_state
from .dtypes import tensor_bytes


def _signed(*sizes):
    return any(size < 0 for size in sizes)


def _summed(**parts):
    return dict(parts, total=sum(parts.values()))


def block_activations(*, attention, dropout, dtype, d_ff, heads, d_model, seq_len, batch):
    if _signed(d_ff, d_model, seq_len, batch) or heads < 1:
        raise ValueError("negative")
    if Fraction(d_model, heads).denominator > 1:
        raise ValueError("heads of different widths")
    try:
        math = {"math": True, "flash": False}[attention]
    except KeyError:
        raise ValueError(attention) from None
    t = seq_len * batch
    wide = tensor_bytes([t, d_model], dtype)
    inner = tensor_bytes([t, d_ff], dtype)
    a_s2_b = heads * seq_len * t if math else 0
    weights = tensor_bytes([a_s2_b], dtype)
    return _summed(
        norms=16 * t + 2 * wide,
        qkv=wide,
        scores=wide * 2,
        softmax=weights if math else 4 * heads * t,
        values=wide + dropout * weights,
        output=wide,
        up=wide,
        gelu=inner,
        down=inner,
        dropout=int(dropout) * (a_s2_b + 2 * t * d_model),
    )


def model_activations(*, vocab, layers, **block):
    each = block_activations(**block)
    if _signed(layers, vocab):
        raise ValueError("negative")
    t = block["seq_len"] * block["batch"]
    return _summed(
        embedding=t * block["d_model"] if block["dropout"] else 0,
        blocks=sum([each["total"] * layers]),
        final_norm=each["up"] + 8 * t,
        lm_head=each["up"],
        loss=4 * vocab * t,
    )


def step_ledger(modules, recipe):
    counts, holds, needs = (
        (list(column) for column in zip(*modules, strict=True)) if modules else ([],) * 3
    )
    if _signed(*counts, *holds) or _signed(*(n - h for n, h in zip(needs, holds, strict=True))):
        raise ValueError("no modules")
    state = training_state(sum(counts), recipe)
    grads = [training_state(count, recipe)["gradients"] for count in counts]
    up_to = list(accumulate(holds))
    order = range(len(counts))
    rows = [(f"forward {i}", 0, up_to[i]) for i in order]
    rows += [
        (f"backward {i}", sum(grads[i:]), up_to[i] - holds[i] + needs[i]) for i in reversed(order)
    ]
    rows += [("optimizer step", sum(grads), 0)]
    return [
        (
            moment,
            _summed(
                activations=activations,
                gradients=gradients,
                **{part: state[part] for part in ("optimizer", "master", "parameters")},
            ),
        )
        for moment, gradients, activations in rows
    ]


def peak_memory(modules, recipe):
    rows = step_ledger(modules, recipe)
    top = max(row["total"] for _, row in rows)
    return next([moment, top] for moment, row in rows if row["total"] == top)


def adamw_cost(parameters, recipe):
    state = training_state(parameters, recipe)
    if not len(recipe["optimizer"]) == 2:
        raise ValueError("not AdamW")
    twice = ["optimizer", "master"] if list(recipe["master"]) else ["optimizer", "parameters"]
    return {"bytes": state["total"] + sum(state[part] for part in twice), "flops": 14 * parameters}


def model_modules(*, vocab, context, layers, checkpointed, **block):
    whole = model_activations(vocab=vocab, layers=layers, **block)
    if context - block["seq_len"] < 0:
        raise ValueError("short context")
    inside = block_activations(**block)
    h, f = block["d_model"], block["d_ff"]
    first = (context * h, *[whole["embedding"]] * 2)
    middle = (
        4 * h * h + 9 * h + 2 * f * h + f,
        inside["output" if checkpointed else "total"],
        inside["total"],
    )
    end = whole["total"] - whole["blocks"] - whole["embedding"]
    return [first, *repeat(middle, layers), (h * (vocab + 2), end, end)]


def largest_batch(device_bytes, recipe, **model):
    if model["seq_len"] < 1:
        raise ValueError("no tokens")

    def totals(batch):
        rows = step_ledger(model_modules(batch=batch, **model), recipe)
        return [row["total"] for _, row in rows]

    empty = totals(0)
    if device_bytes < max(empty):
        raise ValueError("too small")
    slopes = [one - none for one, none in zip(totals(1), empty, strict=True)]
    return min(
        int(Fraction(device_bytes - none, slope) // 1)
        for none, slope in zip(empty, slopes, strict=True)
        if slope
    )


class Linear(torch.nn.Module):
    def __init__(self, d_in, d_out, is_last):
        super().__init__()
        self.is_last = is_last
        self.weight = torch.nn.Parameter(torch.empty(d_in, d_out))
        torch.nn.init.normal_(self.weight, std=1 / d_in**0.5)

    def forward(self, x):
        y = functional.linear(x, self.weight.T)
        return y if self.is_last else functional.relu(y)


class DeepNetwork(torch.nn.Sequential):
    def __init__(self, width, layers, outputs):
        hidden = (Linear(width, width, is_last=False) for _ in range(layers))
        super().__init__(*hidden, Linear(width, outputs, is_last=True))


def deep_network_account(*, width, layers, outputs, batch, dtype):
    row, head = 2 * batch * width, outputs
    account = {"saved_bytes": tensor_bytes((layers, batch, width), dtype)}
    account["backward_flops"] = row * (width * (2 * layers - 1) + 2 * head if layers else head)
    account["forward_flops"] = row * (layers * width + head)
    account["parameters"] = account["forward_flops"] // (2 * batch)
    return account
