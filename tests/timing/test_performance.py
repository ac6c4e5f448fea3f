"""Races against the reference and a slow version, on a CUDA device.

If an exercise has hidden tests too, its race has two thirds of the points.
"""

import pytest


@pytest.mark.exercise("fast_products", weight=10)
def test_products(race):
    """A chain of matrix products takes no longer than the reference's"""
    race("matmul_chain")


@pytest.mark.exercise("fast_training", weight=14)
def test_training(race):
    """Training steps of a small transformer take no longer than the reference's"""
    race("training")


@pytest.mark.exercise("fast_adamw", weight=10)
def test_adamw(race):
    """AdamW over many tensors takes no longer than the reference's"""
    race("adamw")


@pytest.mark.exercise("fast_batches")
def test_batches(race):
    """Loading and using batches on the device takes no longer than the reference's"""
    race("batches")


@pytest.mark.exercise("little_memory")
def test_activations_in_little_memory(fits):
    """A deep stack can be trained in little memory"""
    fits("recompute")


@pytest.mark.exercise("true_timer")
def test_timer(truth):
    """Seconds and MFU agree with another clock"""
    truth("timer")
