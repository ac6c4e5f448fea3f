"""Roofline: is an operation bound by compute or by memory?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def relu_intensity(n: int, bytes_per_element: float) -> float:
    """x"""
    raise NotImplementedError


def gelu_intensity(n: int, bytes_per_element: float, flops_per_element: int = 20) -> float:
    """x"""
    raise NotImplementedError


def dot_intensity(n: int, bytes_per_element: float) -> float:
    """x"""
    raise NotImplementedError


def matvec_intensity(m: int, n: int, bytes_per_element: float) -> float:
    """x"""
    raise NotImplementedError


def matmul_intensity(m: int, k: int, n: int, bytes_per_element: float) -> float:
    """x"""
    raise NotImplementedError


def accelerator_intensity(peak_flops: float, bandwidth: float) -> float:
    """x"""
    raise NotImplementedError


def attainable_flops(intensity: float, peak_flops: float, bandwidth: float) -> float:
    """x"""
    raise NotImplementedError


def bound(intensity: float, peak_flops: float, bandwidth: float) -> str:
    """x"""
    raise NotImplementedError


def least_time(
    operations: Sequence[tuple[float, float]], peak_flops: float, bandwidth: float
) -> float:
    """x"""
    raise NotImplementedError


def crossover_size(peak_flops: float, bandwidth: float, bytes_per_element: float) -> int:
    """x"""
    raise NotImplementedError


def find_accelerator(device_name: str, accelerators: Mapping[str, Mapping[str, Any]]) -> str:
    """x"""
    raise NotImplementedError
