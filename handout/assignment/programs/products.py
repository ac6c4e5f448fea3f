"""A timed program: matrix products near the device's peak."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from assignment.programs import Program, Work


class MatmulChain(Program, name="matmul_chain"):
    """A chain of matrix products near the device's peak.

    `student.performance.matmul_chain(x, weights)` takes x (n, n) and weights, each (n, n), in
    float32, and returns x (n, n) in float32: for each weight x becomes leaky_relu(x @ weight, 0.8),
    divided row by row by its root mean square. Without the nonlinear leaky_relu the weights could
    be multiplied with each other before x is known, since a row's scale passes through a product.
    """

    @staticmethod
    def sizes_on(kind: str, memory: int) -> dict[str, int]:
        if kind == "cpu":
            return {"n": 192, "distinct": 4, "products": 12}
        return {"n": 8192 if memory >= 20 * 2**30 else 4096, "distinct": 8, "products": 64}

    @staticmethod
    def work(sizes: Mapping[str, int]) -> Work:
        # Each product reads x and a weight and writes x, in at least two bytes per element.
        n, products = sizes["n"], sizes["products"]
        return Work(2.0 * n**3 * products, 6.0 * n**2 * products)

    def make(self) -> None:
        n, count = self.sizes["n"], self.sizes["distinct"]
        distinct = [self.normal(n, n) / n**0.5 for _ in range(count)]
        self.weights = [distinct[i % count] for i in range(self.sizes["products"])]
        self.x = self.normal(n, n)

    def run(self, student: Any, start: int) -> list[torch.Tensor]:
        scale = torch.randn(self.sizes["n"], generator=self.start_generator(start))
        x = self.x * scale.to(self.device, self.dtype)
        return [student.performance.matmul_chain(x, self.weights)]
