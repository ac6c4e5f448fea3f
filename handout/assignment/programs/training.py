"""A timed program: training a small transformer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from assignment.programs import Program, Work


class Training(Program, name="training"):
    """Training steps of a small transformer, by `student.performance.training_step`.

    Its blocks call `student.performance.causal_attention`. A run returns the update: the change of
    the parameters by training.
    """

    @staticmethod
    def sizes_on(kind: str, memory: int) -> dict[str, int]:
        names = ("layers", "width", "heads", "length", "batch", "vocabulary", "steps")
        if kind == "cpu":
            return dict(zip(names, (2, 32, 2, 32, 2, 64, 2), strict=True))
        # Wide enough that products take most of the time.
        width, batch = (4096, 12) if memory >= 60 * 2**30 else (1024, 4)
        return dict(zip(names, (2, width, width // 128, 1024, batch, 8192, 2), strict=True))

    @staticmethod
    def work(sizes: Mapping[str, int]) -> Work:
        tokens = sizes["batch"] * sizes["length"] * sizes["steps"]
        layers, width = sizes["layers"], sizes["width"]
        parameters = 12 * layers * width**2 + sizes["vocabulary"] * width
        # A position attends to half of the others on average: two products with `width` columns.
        attention = 2 * layers * width * (sizes["length"] / 2)
        flops = 6.0 * (parameters + attention) * tokens
        # A step reads and writes each parameter, its gradient and its momentum.
        return Work(flops, 24.0 * parameters * sizes["steps"])

    def make(self) -> None:
        """Draws tokens, and initial parameters that each run scales and copies into the model."""
        sizes = self.sizes
        # cuDNN compiles its attention in each process, which takes two seconds.
        torch.backends.cuda.enable_cudnn_sdp(False)
        shape = (sizes["steps"], sizes["batch"], sizes["length"] + 1)
        self.tokens = torch.randint(
            sizes["vocabulary"], shape, generator=self.generator, device=self.device
        )
        with self.device:  # one core takes long to initialize what is overwritten anyway
            self.model = Transformer(sizes).to(self.dtype)
        self.parameters: list[torch.Tensor] = list(self.model.parameters())
        self.initial = [0.02 * self.normal(*parameter.shape) for parameter in self.parameters]

    def run(self, student: Any, start: int) -> list[torch.Tensor]:
        drawn = torch.rand(len(self.initial), generator=self.start_generator(start))
        initial = list(torch._foreach_mul(self.initial, (1 + 0.5 * drawn).tolist()))
        with torch.no_grad():
            torch._foreach_copy_(self.parameters, initial)
        self.model.attention = student.performance.causal_attention
        optimizer = torch.optim.SGD(self.parameters, lr=0.1, momentum=0.9, foreach=True)
        for tokens in self.tokens:
            student.performance.training_step(self.model, optimizer, tokens)
        with torch.no_grad():
            updates = torch._foreach_sub(self.parameters, initial)
        return [torch.cat([update.flatten() for update in updates])]


class Transformer(torch.nn.Module):
    """A pre-norm transformer that returns logits; its user sets `attention`."""

    attention: Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]

    def __init__(self, sizes: Mapping[str, int]) -> None:
        super().__init__()
        width = sizes["width"]
        self.heads = sizes["heads"]
        self.embedding = torch.nn.Embedding(sizes["vocabulary"], width)
        # One position more: a training step may pass all its tokens, and not only the inputs.
        self.position = torch.nn.Parameter(torch.zeros(sizes["length"] + 1, width))
        shapes = ((width, 3 * width), (width, width), (width, 4 * width), (4 * width, width))
        self.blocks = torch.nn.ModuleList(
            torch.nn.ModuleList(torch.nn.Linear(*shape, bias=False) for shape in shapes)
            for _ in range(sizes["layers"])
        )

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        normed = torch.nn.functional.rms_norm
        x = self.embedding(tokens) + self.position[: tokens.shape[1]]
        for block in self.blocks:
            assert isinstance(block, torch.nn.ModuleList)
            qkv, out, up, down = block
            parts = qkv(normed(x, x.shape[-1:])).chunk(3, -1)
            q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in parts)
            x = x + out(self.attention(q, k, v).transpose(1, 2).flatten(2))
            x = x + down(torch.nn.functional.gelu(up(normed(x, x.shape[-1:]))))
        return torch.nn.functional.linear(normed(x, x.shape[-1:]), self.embedding.weight)
