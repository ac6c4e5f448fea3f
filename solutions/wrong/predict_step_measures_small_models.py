"""predict_step (core): counts small models on the meta device, and goes on from there

Breaks: Nothing is built and nothing runs
"""

from dataclasses import replace
import math
from dataclasses import dataclass
import torch
from torch import nn
from torch.nn import functional


@dataclass(frozen=True)
class Sizes:
    vocab: int
    context: int
    layers: int
    d_model: int
    heads: int
    d_ff: int
    tied: bool
    batch: int


class Block(nn.Module):
    def __init__(self, d_model, heads, d_ff):
        super().__init__()
        self.heads = heads
        self.norm_1 = nn.LayerNorm(d_model)
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.out = nn.Linear(d_model, d_model)
        self.norm_2 = nn.LayerNorm(d_model)
        self.up = nn.Linear(d_model, d_ff)
        self.down = nn.Linear(d_ff, d_model)

    def forward(self, x, mask):
        x = x + self.out(self.attention(self.norm_1(x), mask))
        added: torch.Tensor = self.down(functional.gelu(self.up(self.norm_2(x))))
        return x + added

    def attention(self, x, mask):
        q, k, v = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2).contiguous()
            for part in self.qkv(x).chunk(3, -1)
        )
        q = q / math.sqrt(q.shape[-1])
        weights = (q @ k.transpose(-1, -2)).masked_fill(mask, -math.inf).softmax(-1)
        heads: torch.Tensor = weights @ v
        return heads.transpose(1, 2).flatten(2)


class Transformer(nn.Module):
    mask: torch.Tensor

    def __init__(self, sizes):
        super().__init__()
        self.embedding = nn.Embedding(sizes.vocab, sizes.d_model)
        self.position = nn.Parameter(torch.zeros(sizes.context, sizes.d_model))
        self.blocks = nn.ModuleList(
            (Block(sizes.d_model, sizes.heads, sizes.d_ff) for _ in range(sizes.layers))
        )
        self.norm = nn.LayerNorm(sizes.d_model)
        self.lm_head = nn.Linear(sizes.d_model, sizes.vocab, bias=False)
        if sizes.tied:
            self.lm_head.weight = self.embedding.weight
        everywhere = torch.ones(sizes.context, sizes.context, dtype=torch.bool)
        self.register_buffer("mask", everywhere.triu(1))

    def forward(self, tokens):
        x = self.embedding(tokens) + self.position
        for block in self.blocks:
            x = block(x, self.mask)
        return self.lm_head(self.norm(x))


def adamw(model):
    return torch.optim.AdamW(model.parameters(), lr=0.0003, foreach=True)


def training_step(model, optimizer, tokens, targets):
    optimizer.zero_grad()
    loss = functional.cross_entropy(model(tokens).flatten(0, 1), targets.flatten())
    loss.backward()
    optimizer.step()
    return loss.detach()


import weakref
from dataclasses import dataclass, field
from typing import Any
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode


class LiveBytes(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.alive = self.peak = 0
        self.log: list[int] = []
        self._seen: set[int] = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **kwargs or {})
        for leaf in tree_leaves(result):
            if isinstance(leaf, torch.Tensor):
                self.watch(leaf)
        self.log.append(self.alive)
        return result

    def watch(self, tensor):
        storage = tensor.untyped_storage()
        if storage._cdata not in self._seen:
            self._seen.add(storage._cdata)
            self.alive += storage.nbytes()
            self.peak = max(self.peak, self.alive)
            gone = weakref.finalize(storage, self._forget, storage._cdata, storage.nbytes())
            gone.atexit = False

    def _forget(self, storage, size):
        self._seen.discard(storage)
        self.alive -= size


@dataclass
class Run:
    sizes: Sizes
    device: str
    model: Transformer = field(init=False)

    def __post_init__(self):
        with torch.device(self.device):
            self.model = Transformer(self.sizes)
            shape = (self.sizes.batch, self.sizes.context)
            self.tokens, self.targets = (torch.randint(self.sizes.vocab, shape) for _ in range(2))
        self.optimizer = adamw(self.model)
        for parameter in self.model.parameters():
            parameter.grad = torch.zeros_like(parameter)
        self.optimizer.step()

    def step(self):
        return training_step(self.model, self.optimizer, self.tokens, self.targets)

    def tensors(self):
        state = [value for each in self.optimizer.state.values() for value in each.values()]
        gradients = [parameter.grad for parameter in self.model.parameters()]
        held = [*self.model.parameters(), *gradients, *self.model.buffers(), *state]
        return [self.tokens, self.targets, *(x for x in held if isinstance(x, torch.Tensor))]


@dataclass(frozen=True)
class Counts:
    parameters: int
    flops: int
    peak_bytes: int
    live_bytes: list[int] = field(repr=False, compare=False)


def count_parameters(sizes):
    with torch.device("meta"):
        return sum((parameter.numel() for parameter in Transformer(sizes).parameters()))


def count_step(sizes, device="meta"):
    run = Run(sizes, device)
    live = LiveBytes()
    for tensor in run.tensors():
        live.watch(tensor)
    flops = FlopCounterMode(display=False)
    with flops, live:
        run.step()
    parameters = sum((parameter.numel() for parameter in run.model.parameters()))
    return Counts(parameters, flops.get_total_flops(), live.peak, live.log)


_right_predict = predict_step


def predict_step(*, peak_flops, bandwidth, **sizes):
    _right_predict(**sizes, peak_flops=peak_flops, bandwidth=bandwidth)  # only for its checks
    whole, heads = Sizes(**sizes), sizes["heads"]

    def count(what, model):
        """Linear in the layers and in the batch, a square function of the width."""
        if model.layers > 3:
            one, two = (count(what, replace(model, layers=n)) for n in (1, 2))
            return one + (model.layers - 1) * (two - one)
        if model.d_model > 4096:
            heads = model.heads if model.heads < 64 else 1
            one, two, three = (
                count(what, replace(model, heads=heads, d_model=n * heads)) for n in (1, 2, 3)
            )
            n = model.d_model // heads
            return one + (n - 1) * (two - one) + (n - 1) * (n - 2) // 2 * (three - 2 * two + one)
        if what == "flops" and model.batch > 10**6:
            return model.batch * count(what, replace(model, batch=1))
        return count_parameters(model) if what == "parameters" else getattr(count_step(model), what)

    found = {what: count(what, whole) for what in ("parameters", "flops", "peak_bytes")}
    return {**found, "seconds": found["flops"] / peak_flops}
