"""The layer that tests of memory use, compared with torch's own operations."""

import pytest
import torch

from assignment.scenarios.rolling import RollLayer


@pytest.mark.parametrize("shape", [(9,), (3, 7)])
@pytest.mark.parametrize("n", [0, 1, 5, 30])
def test_output_and_gradients_are_those_of_torch(shape, n):
    x, grad = torch.randn(2, *shape, dtype=torch.float64)
    w = torch.tensor(-0.3, dtype=torch.float64)
    inputs = [x.requires_grad_(), w.requires_grad_()]
    expected = x + w * x.roll(n, -1).relu()
    found = RollLayer.apply(*inputs, n)
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(
        torch.autograd.grad(found, inputs, grad), torch.autograd.grad(expected, inputs, grad)
    )
