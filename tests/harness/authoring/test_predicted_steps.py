"""What the reference predicts of a step, which hidden tests compare with, beside steps that ran."""

import random
from dataclasses import asdict, replace

import numpy as np
import pytest

from assignment.material.step_counts import count_parameters, count_step
from solutions.resource_accounting.prediction import predict_step
from tests.hidden import test_prediction as models

KINDS = (models.drawn, models.wide, models.mostly_state, models.mostly_activations)


def predicted(sizes):
    return predict_step(**asdict(sizes), **models.DEVICE)


@pytest.fixture
def rng():
    return np.random.default_rng(random.randrange(2**32))


def test_predictions_are_what_a_step_needs(rng):
    """Parameters and FLOPs to the last, the peak within what hidden tests allow for"""
    for sizes in [*models.corners(rng), *(kind(rng) for kind in KINDS)]:
        counts, found = count_step(sizes), predicted(sizes)
        assert found["parameters"] == counts.parameters, sizes
        assert found["flops"] == counts.flops, sizes
        assert found["peak_bytes"] == pytest.approx(counts.peak_bytes, rel=0.01), sizes


def test_every_layer_adds_as_much_as_the_one_before(rng):
    """So predictions for layers that nobody can build follow from those of one, two and three"""
    for kind in KINDS:
        sizes = [replace(kind(rng), layers=1)]
        sizes += [replace(sizes[0], layers=n) for n in (2, 3, 10**12)]
        for count in (count_parameters, lambda model: count_step(model).flops):
            one, two, three = map(count, sizes[:3])
            assert three - two == two - one
        for what in ("parameters", "flops"):
            one, two, _, deep = (predicted(model)[what] for model in sizes)
            assert deep == one + (10**12 - 1) * (two - one)
