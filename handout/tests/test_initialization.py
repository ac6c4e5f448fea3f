"""Initialization: does the scale survive?"""

import math

import pytest
import torch

from assignment.expect import expect


@pytest.mark.exercise("xavier")
def test_xavier_shape_and_bounds(impl):
    """A 300×500 weight is float32, and its largest element is just below √(6/800) = 0.0866"""
    w = expect(impl.initialization.xavier_uniform(300, 500, 1)).is_tensor((300, 500), torch.float32)
    expect(w.abs().max().item(), "the largest element").close(
        math.sqrt(6 / 800), rtol=1e-3, hint="uniform on ±√(6 / (d_in + d_out))"
    )


@pytest.mark.exercise("xavier")
def test_xavier_repeats(impl):
    """The same seed gives the same weight, another seed gives another weight"""
    draw = impl.initialization.xavier_uniform
    expect(draw(8, 8, 5)).equals(draw(8, 8, 5))
    assert not torch.equal(draw(8, 8, 5), draw(8, 8, 6)), "seeds 5 and 6 give the same weight"


@pytest.mark.exercise("kaiming")
def test_kaiming_scale(impl):
    """A 512×256 weight has a standard deviation of √(2/512) = 0.0625"""
    w = expect(impl.initialization.kaiming_normal(512, 256, 1)).is_tensor((512, 256), torch.float32)
    expect(w.std().item(), "the standard deviation").close(
        0.0625, rtol=0.02, hint="d_in is the number of rows: x @ w sums over them"
    )


@pytest.mark.exercise("kaiming")
def test_kaiming_survives_depth(impl):
    """Through 20 layers with ReLU, activations change their size by less than a factor of 3"""
    x = torch.randn(64, 256, generator=torch.Generator().manual_seed(0))
    for layer in range(20):
        x = (x @ impl.initialization.kaiming_normal(256, 256, layer)).relu()
    size = x.square().mean().sqrt().item()
    assert 1 / 3 < size < 3, f"after 20 layers the root mean square is {size:.3g}"


@pytest.mark.exercise("truncated_normal")
def test_truncated_normal_within_bounds(impl):
    """With std 0.02, all values lie within ±0.06, and the standard deviation is 0.0197"""
    x = impl.initialization.truncated_normal((200, 500), 0.02, -0.06, 0.06, 3)
    expect(x).is_tensor((200, 500), torch.float32)
    assert x.abs().max().item() <= 0.06 * (1 + 1e-6)
    expect(x.std().item(), "the standard deviation").close(0.019732, rtol=0.02)


@pytest.mark.exercise("truncated_normal")
def test_truncated_normal_does_not_clamp(impl):
    """With bounds of ±1 std, values do not pile up at the bounds"""
    x = impl.initialization.truncated_normal((1000,), 1.0, -1.0, 1.0, 3)
    expect(x).is_tensor((1000,), torch.float32)
    assert (x.abs() > 0.9999).sum().item() < 10, "values outside the bounds were moved onto them"


@pytest.mark.exercise("truncated_normal")
def test_truncated_normal_refuses(impl):
    """Bounds in the wrong order are refused"""
    expect(impl.initialization.truncated_normal((2, 3), 1.0, -1.0, 1.0, 0)).is_tensor(
        (2, 3), torch.float32
    )
    with pytest.raises(ValueError):
        impl.initialization.truncated_normal((2, 3), 1.0, 1.0, -1.0, 0)
