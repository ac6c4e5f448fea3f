"""A model like GPT-2, run by torch, and what it keeps: for the numbers of the chapter `ledger`.

Letters: B sequences, T tokens, D width, H heads, F width of the hidden layer, V tokens of the
vocabulary, L blocks, C positions.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

BF16 = torch.bfloat16
Drop = Callable[[torch.Tensor], torch.Tensor]


def byte_masks(x: torch.Tensor) -> torch.Tensor:
    """Dropout as CUDA does it: the mask is of bools."""
    return torch.native_dropout(x, 0.1, True)[0]


def cpu_masks(x: torch.Tensor) -> torch.Tensor:
    """Dropout as torch does it on a CPU: the mask is of the input's dtype."""
    return functional.dropout(x, 0.1)


@contextmanager
def no_packing() -> Iterator[None]:
    """With AMX, oneDNN packs bf16 by instructions that ATEN_CPU_CAPABILITY may forbid."""
    is_enabled = torch._C._get_mkldnn_enabled()
    torch._C._set_mkldnn_enabled(False)
    try:
        yield
    finally:
        torch._C._set_mkldnn_enabled(is_enabled)


class Block(nn.Module):
    def __init__(self, D: int, H: int, F: int, drop: Drop | None, flash: bool) -> None:
        super().__init__()
        self.H, self.flash, self.drop = H, flash, drop or (lambda x: x)
        self.norms = nn.ModuleList(nn.LayerNorm(D) for _ in range(2))  # their weights are in fp32
        shapes = [(D, D)] * 4 + [(D, F), (F, D)]
        self.linear = nn.ModuleList(nn.Linear(*shape, dtype=BF16) for shape in shapes)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        B, T, D = x.shape
        y = self.norms[0](x)
        q, k, v = (self.linear[i](y).view(B, T, self.H, -1).transpose(1, 2) for i in range(3))
        if self.flash:
            with no_packing():
                mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            scores = q @ k.transpose(-2, -1) / math.sqrt(D // self.H)
            weights = scores.masked_fill(mask[:T, :T], -math.inf).softmax(-1)
            mixed = self.drop(weights) @ v
        x = x + self.drop(self.linear[3](mixed.transpose(1, 2).reshape(B, T, D)))
        y = functional.gelu(self.linear[4](self.norms[1](x)))
        return x + self.drop(self.linear[5](y))


class Model(nn.Module):
    def __init__(
        self, V: int, C: int, L: int, D: int, H: int, F: int, *, checkpointed: bool = False
    ) -> None:
        super().__init__()
        self.checkpointed = checkpointed
        self.tokens = nn.Parameter(torch.empty(V, D, dtype=BF16))
        self.places = nn.Parameter(torch.empty(C, D, dtype=BF16))
        self.blocks = nn.ModuleList(Block(D, H, F, byte_masks, False) for _ in range(L))
        self.norm = nn.LayerNorm(D)
        self.register_buffer("mask", torch.ones(C, C, dtype=torch.bool).triu(1))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = functional.embedding(tokens, self.tokens) + self.places[: tokens.shape[1]]
        x = byte_masks(x)
        for block in self.blocks:
            x = (
                checkpoint(block, x, self.mask, use_reentrant=False, preserve_rng_state=False)
                if self.checkpointed
                else block(x, self.mask)
            )
        logits = functional.linear(self.norm(x), self.tokens)
        return functional.cross_entropy(logits.float().flatten(0, 1), tokens.flatten())


def kept(function: Callable[[], torch.Tensor], *known: torch.Tensor) -> int:
    """Bytes of the storages that autograd saves, without those of known tensors."""
    alive = {t.untyped_storage()._cdata: t for t in known}
    size = 0

    def save(tensor: torch.Tensor) -> torch.Tensor:
        nonlocal size
        storage = tensor.untyped_storage()
        if storage._cdata not in alive:
            alive[storage._cdata] = tensor
            size += storage.nbytes()
        return tensor

    with saved_tensors_hooks(save, lambda tensor: tensor):
        function()
    return size


def kept_by_block(
    B: int,
    T: int,
    D: int,
    H: int,
    F: int,
    *,
    drop: Drop | None,
    flash: bool = False,
    norms: torch.dtype = torch.float32,
) -> int:
    """Bytes that a block keeps on a CPU, in bf16; `norms` is the dtype of the norms' weights."""
    block = Block(D, H, F, drop, flash)
    block.norms.to(norms)
    mask = torch.ones(T, T, dtype=torch.bool).triu(1)
    x = torch.zeros(B, T, D, dtype=BF16, requires_grad=True)
    return kept(lambda: block(x, mask), *block.parameters(), mask)


def kept_by_model(B: int, T: int, model: dict[str, int]) -> int:
    """Bytes that a model keeps with dropout, in bf16. Nothing is computed: tensors have no data."""
    with torch.device("meta"):
        made = Model(**model)
        tokens = torch.zeros(B, T, dtype=torch.int64)
    return kept(lambda: made(tokens), *made.parameters(), *made.buffers(), tokens)


def tracked_step(B: int, T: int, model: dict[str, int], *, checkpointed: bool) -> dict[str, Any]:
    """A step of AdamW, as torch's MemTracker sees it; all in bf16, the moments too.

    "activations" after the forward pass; "peak" of parameters, gradients, optimizer state,
    activations and temporary tensors together; and "temporary" tensors at that moment.
    """
    # A second, which every process of pytest's would spend.
    from torch.distributed._tools.mem_tracker import MemTracker, _MemRefType

    with torch.device("meta"):
        made = Model(**model, checkpointed=checkpointed)
        tokens = torch.zeros(B, T, dtype=torch.int64)
    for parameter in made.parameters():  # those of the norms; the mask stays as it is
        parameter.data = parameter.data.to(BF16)
    optimizer = torch.optim.AdamW(made.parameters(), foreach=False)
    for parameter in made.parameters():
        parameter.grad = torch.zeros_like(parameter)
    optimizer.step()  # the optimizer's state is there from now on
    optimizer.zero_grad()
    tracker = MemTracker()
    tracker.track_external(made, optimizer, tokens)

    def snapshot(kind: str) -> dict[Any, int]:
        return tracker.get_tracker_snapshot(kind)[torch.device("meta")]

    with tracker:
        loss = made(tokens)
        activations = snapshot("current")[_MemRefType.ACT]
        loss.backward()
        del loss
        optimizer.step()
        optimizer.zero_grad()
    peak = snapshot("peak")
    inputs = peak[_MemRefType.BUFFER] + peak[_MemRefType.OTH]
    return {
        "activations": activations,
        "peak": peak["Total"] - inputs,
        "temporary": peak[_MemRefType.TEMP],
    }
