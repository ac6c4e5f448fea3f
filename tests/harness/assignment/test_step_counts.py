"""Counts of a step: the same on the CPU and the meta device, and what each storage adds."""

import gc
from dataclasses import replace

import pytest
import torch

from assignment.material.small_transformer import GPT2, Sizes
from assignment.material.step_counts import LiveBytes, Run, count_parameters, count_step

TINY = Sizes(vocab=50, context=6, layers=2, d_model=12, heads=3, d_ff=20, tied=True, batch=2)


@pytest.mark.parametrize(
    "sizes",
    [
        TINY,
        replace(TINY, tied=False, layers=1),
        replace(TINY, vocab=3, context=40, d_ff=1),  # the peak is in attention
        replace(TINY, vocab=3, context=2, batch=50, d_ff=300),  # in a feed-forward
        replace(TINY, vocab=900, batch=1, context=1),  # in the optimizer
        replace(TINY, heads=1, batch=1),
    ],
)
def test_the_meta_device_counts_as_a_cpu_does(sizes):
    assert count_step(sizes) == count_step(sizes, "cpu")


def test_gpt2_has_its_parameters():
    assert count_parameters(GPT2) == 124_439_808


def test_steps_need_the_same_each_time():
    run = Run(TINY, "cpu")
    peaks = set()
    for _ in range(3):
        live = LiveBytes()
        for tensor in run.tensors():
            live.watch(tensor)
        before = live.alive
        with live:
            loss = run.step()
        peaks.add(live.peak)
        assert live.alive == before + loss.untyped_storage().nbytes()
    assert len(peaks) == 1


def test_a_step_trains():
    torch.manual_seed(0)
    run = Run(TINY, "cpu")
    losses = [run.step().item() for _ in range(40)]
    assert losses[-1] < losses[0]


def test_storages_count_once_and_until_the_last_tensor_is_gone():
    with LiveBytes() as live:
        x = torch.zeros(10, 10)
        assert live.alive == 400
        view = x[2:].T
        assert live.alive == 400
        del x
        assert live.alive == 400
        y = view + 1
        assert live.alive == 400 + 320
        del view
        gc.collect()
        assert live.alive == 320
        y.add_(1)
        assert live.alive == 320
    assert live.peak == 720
    assert max(live.log) == 720


def test_what_autograd_keeps_counts():
    weight = torch.ones(5, 5, requires_grad=True)
    with LiveBytes() as live:
        live.watch(weight)
        y = torch.exp(weight @ weight).sum()
        assert live.alive == 100 + 100 + 4  # exp keeps its result; the product is gone
        y.backward()
        assert weight.grad is not None
        del y
        assert live.alive == 200
