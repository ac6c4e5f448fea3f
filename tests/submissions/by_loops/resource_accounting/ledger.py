"""The ledger, as lists of tensors that are born and die."""

import torch

from .budget import bytes_per_parameter, training_state
from .dtypes import bytes_per_element, tensor_bytes


def tensors(batch, seq_len, d_model, heads, d_ff, attention):
    """(component, shape, bytes of an element or None for the dtype's, only with dropout)."""
    x, hidden = (batch, seq_len, d_model), (batch, seq_len, d_ff)
    square, row, token = (batch, heads, seq_len, seq_len), (batch, heads, seq_len), (batch, seq_len)
    for _ in range(2):
        yield "norms", x, None, False
        for _statistic in ("mean", "reciprocal deviation"):
            yield "norms", token, 4, False
    yield "qkv", x, None, False
    yield "scores", x, None, False
    yield "scores", x, None, False
    if attention == "flash":
        yield "softmax", row, 4, False
    else:
        yield "softmax", square, None, False
        yield "dropout", square, 1, True
        yield "values", square, None, True
    yield "values", x, None, False
    yield "output", x, None, False
    yield "up", x, None, False
    yield "gelu", hidden, None, False
    yield "down", hidden, None, False
    yield "dropout", x, 1, True
    yield "dropout", x, 1, True


def block_activations(*, batch, seq_len, d_model, heads, d_ff, dtype, dropout, attention):
    for size in (batch, seq_len, d_model, d_ff):
        if size < 0:
            raise ValueError(f"a size is {size}")
    if heads <= 0 or d_model % heads != 0:
        raise ValueError(f"{heads} heads do not divide {d_model}")
    if attention != "math" and attention != "flash":
        raise ValueError(f"attention is {attention!r}")
    width = bytes_per_element(dtype)
    names = "norms qkv scores softmax values output up gelu down dropout".split()
    ledger = {}
    for name in names:
        ledger[name] = 0
    total = 0
    for name, shape, size, needs_dropout in tensors(
        batch, seq_len, d_model, heads, d_ff, attention
    ):
        if needs_dropout and not dropout:
            continue
        elements = 1
        for n in shape:
            elements *= n
        ledger[name] += elements * (size or width)
        total += elements * (size or width)
    ledger["total"] = total
    return ledger


def model_activations(*, vocab, layers, **block):
    if vocab < 0:
        raise ValueError(f"{vocab} tokens")
    if layers < 0:
        raise ValueError(f"{layers} layers")
    one = block_activations(**block)["total"]
    x = (block["batch"], block["seq_len"], block["d_model"])
    wide = tensor_bytes(x, block["dtype"])
    ledger = {
        "embedding": 0,
        "blocks": one * layers,
        "final_norm": wide + 4 * x[0] * x[1] + 4 * x[0] * x[1],
        "lm_head": wide,
        "loss": x[0] * x[1] * vocab * 4,
    }
    if block["dropout"]:
        ledger["embedding"] += x[0] * x[1] * x[2]
    total = 0
    for size in ledger.values():
        total += size
    ledger["total"] = total
    return ledger


def step_ledger(modules, recipe):
    bytes_per_parameter(recipe)
    parameters = 0
    for count, held, needed in modules:
        if count < 0 or held < 0 or needed < held:
            raise ValueError(f"no module: {count}, {held}, {needed}")
        parameters += count
    state = training_state(parameters, recipe)
    moments = []
    live = {}  # module: bytes of its activations
    gradients = 0

    def look(name):
        held = {
            "parameters": state["parameters"],
            "gradients": gradients,
            "master": state["master"],
            "optimizer": state["optimizer"],
            "activations": sum(live.values()),
        }
        total = 0
        for size in held.values():
            total += size
        held["total"] = total
        moments.append((name, held))

    for i in range(len(modules)):
        live[i] = modules[i][1]
        look(f"forward {i}")
    for i in range(len(modules) - 1, -1, -1):
        live[i] = modules[i][2]  # runs again, if it is checkpointed
        gradients += training_state(modules[i][0], recipe)["gradients"]
        look(f"backward {i}")
        del live[i]
    look("optimizer step")
    return moments


def peak_memory(modules, recipe):
    moment, most = None, -1
    for name, held in step_ledger(modules, recipe):
        if held["total"] > most:
            moment, most = name, held["total"]
    return moment, most


def adamw_cost(parameters, recipe):
    state = training_state(parameters, recipe)
    if len(recipe["optimizer"]) != 2:
        raise ValueError("AdamW has two moments")
    read = state["gradients"] + state["optimizer"]
    written = state["parameters"] + state["master"] + state["optimizer"]
    if len(recipe["master"]) == 0:
        read += state["parameters"]
    else:
        read += state["master"]
    decay, average, square, step = 1, 3, 4, 6
    return {"flops": (decay + average + square + step) * parameters, "bytes": read + written}


def model_modules(*, vocab, context, layers, checkpointed, **block):
    if context < block["seq_len"]:
        raise ValueError(f"{context} positions for {block['seq_len']} tokens")
    kept = model_activations(vocab=vocab, layers=layers, **block)
    one = block_activations(**block)
    h, f = block["d_model"], block["d_ff"]
    parameters = 0
    for rows, columns in ((h, h), (h, h), (h, h), (h, h), (h, f), (f, h)):
        parameters += rows * columns + columns
    for _norm in range(2):
        parameters += h + h
    modules = [(context * h, kept["embedding"], kept["embedding"])]
    for _ in range(layers):
        held = one["qkv"] if checkpointed else one["total"]
        modules.append((parameters, held, one["total"]))
    end = kept["final_norm"] + kept["lm_head"] + kept["loss"]
    modules.append((h + h + vocab * h, end, end))
    return modules


def largest_batch(device_bytes, recipe, *, seq_len, **model):
    if seq_len <= 0:
        raise ValueError(f"sequences of {seq_len} tokens")

    def fits(batch):
        modules = model_modules(batch=batch, seq_len=seq_len, **model)
        return peak_memory(modules, recipe)[1] <= device_bytes

    if not fits(0):
        raise ValueError(f"the model does not fit in {device_bytes} bytes")
    high = 1
    while fits(high):
        high *= 2
    low = high // 2
    while high - low > 1:  # `low` fits, `high` does not
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return low


class DeepNetwork(torch.nn.Module):
    def __init__(self, width, layers, outputs):
        super().__init__()
        self.depth = layers
        for i in range(layers):
            weight = torch.empty(width, width).normal_(0, width**-0.5)
            self.register_parameter(f"layer{i}", torch.nn.Parameter(weight))
        head = torch.empty(width, outputs).normal_(0, width**-0.5)
        self.register_parameter("head", torch.nn.Parameter(head))

    def forward(self, x):
        for i in range(self.depth):
            x = torch.einsum("bi,ij->bj", x, getattr(self, f"layer{i}"))
            x = x.relu_()
        return torch.einsum("bi,ij->bj", x, self.head)


def deep_network_account(*, width, layers, outputs, batch, dtype):
    parameters = forward = backward = saved = 0
    columns = [width for _ in range(layers)] + [outputs]
    for i in range(len(columns)):
        product = 2 * batch * width * columns[i]
        parameters += width * columns[i]
        forward += product
        backward += product
        if i > 0:
            backward += product
            saved += tensor_bytes((batch, width), dtype)
    return {
        "parameters": parameters,
        "forward_flops": forward,
        "backward_flops": backward,
        "saved_bytes": saved,
    }
