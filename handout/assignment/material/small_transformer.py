"""A small transformer like GPT-2, and one step of its training: what `predict_step` predicts.

With the sizes of `GPT2` it has the shapes of GPT-2's smallest model. Everything that costs
parameters, FLOPs or memory is written out here, so that it can be counted by reading.

Letters: B sequences, T tokens of each, D width, H heads, d = D / H width of a head, F width of the
feed-forward's hidden layer, V tokens in the vocabulary.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional


@dataclass(frozen=True)
class Sizes:
    """The sizes of a model and its batch; all numbers are in float32, tokens in int64."""

    vocab: int  # V
    context: int  # T: every sequence has as many tokens
    layers: int
    d_model: int  # D
    heads: int  # H
    d_ff: int  # F
    tied: bool  # whether the embedding's matrix is also the lm_head's
    batch: int  # B


SMALL = Sizes(
    vocab=8192, context=256, layers=4, d_model=256, heads=8, d_ff=1024, tied=False, batch=4
)
GPT2 = Sizes(
    vocab=50257, context=1024, layers=12, d_model=768, heads=12, d_ff=3072, tied=True, batch=8
)


class Block(nn.Module):
    """One layer: attention, then a feed-forward, each with a LayerNorm before it."""

    def __init__(self, d_model: int, heads: int, d_ff: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm_1 = nn.LayerNorm(d_model)
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.out = nn.Linear(d_model, d_model)
        self.norm_2 = nn.LayerNorm(d_model)
        self.up = nn.Linear(d_model, d_ff)
        self.down = nn.Linear(d_ff, d_model)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """B×T×D to B×T×D; `mask`, T×T, is true where a token must not look."""
        x = x + self.out(self.attention(self.norm_1(x), mask))
        added: torch.Tensor = self.down(functional.gelu(self.up(self.norm_2(x))))
        return x + added

    def attention(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Attention of all heads, before `out`: B×T×D to B×T×D. All T×T scores are computed."""
        q, k, v = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2).contiguous()  # B×H×T×d, copied
            for part in self.qkv(x).chunk(3, -1)
        )
        q = q / math.sqrt(q.shape[-1])
        weights = (q @ k.transpose(-1, -2)).masked_fill(mask, -math.inf).softmax(-1)  # B×H×T×T
        heads: torch.Tensor = weights @ v
        return heads.transpose(1, 2).flatten(2)


class Transformer(nn.Module):
    """Returns the logits of the next token at each position."""

    mask: torch.Tensor

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.embedding = nn.Embedding(sizes.vocab, sizes.d_model)
        self.position = nn.Parameter(torch.zeros(sizes.context, sizes.d_model))
        self.blocks = nn.ModuleList(
            Block(sizes.d_model, sizes.heads, sizes.d_ff) for _ in range(sizes.layers)
        )
        self.norm = nn.LayerNorm(sizes.d_model)
        self.lm_head = nn.Linear(sizes.d_model, sizes.vocab, bias=False)
        if sizes.tied:
            self.lm_head.weight = self.embedding.weight
        everywhere = torch.ones(sizes.context, sizes.context, dtype=torch.bool)
        self.register_buffer("mask", everywhere.triu(1))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """B×T tokens to B×T×V logits."""
        x = self.embedding(tokens) + self.position
        for block in self.blocks:
            x = block(x, self.mask)
        return self.lm_head(self.norm(x))  # type: ignore[no-any-return]


def adamw(model: Transformer) -> torch.optim.AdamW:
    """torch's AdamW, which updates all tensors at once, as it does on CUDA devices."""
    return torch.optim.AdamW(model.parameters(), lr=3e-4, foreach=True)


def cross_entropy(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """The mean loss of B×T×V logits and B×T targets."""
    return functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


def training_step(
    model: Transformer,
    optimizer: torch.optim.Optimizer,
    tokens: torch.Tensor,
    targets: torch.Tensor,
) -> torch.Tensor:
    """One step on B×T tokens and targets; returns the loss before it."""
    optimizer.zero_grad()  # frees the last step's gradients; this step's stay after its end
    loss = cross_entropy(model(tokens), targets)
    loss.backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    return loss.detach()
