"""Rooflines, in loops and step by step."""

import math

import torch


def _checked(*sizes, width):
    for size in sizes:
        if size < 1:
            raise ValueError(f"{size} is no size")
    if not width > 0:
        raise ValueError(f"{width} bytes")


def relu_intensity(n, bytes_per_element):
    _checked(n, width=bytes_per_element)
    return 1 / (bytes_per_element + bytes_per_element)


def gelu_intensity(n, bytes_per_element, flops_per_element=20):
    _checked(n, width=bytes_per_element)
    if flops_per_element < 0:
        raise ValueError("negative FLOPs")
    return flops_per_element / (bytes_per_element + bytes_per_element)


def dot_intensity(n, bytes_per_element):
    _checked(n, width=bytes_per_element)
    read, written = 2 * n, 1
    return (n + (n - 1)) / (read + written) / bytes_per_element


def matvec_intensity(m, n, bytes_per_element):
    _checked(m, n, width=bytes_per_element)
    multiplications, additions = m * n, m * (n - 1)
    read, written = m * n + n, m
    return (multiplications + additions) / (read + written) / bytes_per_element


def matmul_intensity(m, k, n, bytes_per_element):
    _checked(m, k, n, width=bytes_per_element)
    read, written = m * k + k * n, m * n
    return (2 * m * k * n) / (read + written) / bytes_per_element


def accelerator_intensity(peak_flops, bandwidth):
    for number in (peak_flops, bandwidth):
        if not number > 0:
            raise ValueError("no accelerator")
    return peak_flops / bandwidth


def attainable_flops(intensity, peak_flops, bandwidth):
    accelerator_intensity(peak_flops, bandwidth)
    if not intensity >= 0:
        raise ValueError("negative")
    fed = bandwidth * intensity
    if fed > peak_flops:
        return peak_flops
    return fed


def bound(intensity, peak_flops, bandwidth):
    accelerator_intensity(peak_flops, bandwidth)
    if not intensity >= 0:
        raise ValueError("negative")
    if intensity * bandwidth >= peak_flops:
        return "compute"
    return "memory"


def least_time(operations, peak_flops, bandwidth):
    accelerator_intensity(peak_flops, bandwidth)
    seconds = 0.0
    for flops, moved in operations:
        if not flops >= 0 or not moved >= 0:
            raise ValueError("negative")
        computing = flops / peak_flops
        moving = moved / bandwidth
        seconds += computing if computing > moving else moving
    return seconds


def crossover_size(peak_flops, bandwidth, bytes_per_element):
    accelerator_intensity(peak_flops, bandwidth)
    _checked(width=bytes_per_element)
    # Compares 2n³ · bandwidth with 3n² · bytes · peak in whole numbers, doubling, then halving.
    peak, peak_under = float(peak_flops).as_integer_ratio()
    speed, speed_under = float(bandwidth).as_integer_ratio()
    width, width_under = float(bytes_per_element).as_integer_ratio()

    def is_bound_by_compute(n):
        return 2 * n * speed * peak_under * width_under >= 3 * width * peak * speed_under

    above = 1
    while not is_bound_by_compute(above):
        above *= 2
    below = above // 2
    while above - below > 1:
        middle = (above + below) // 2
        if is_bound_by_compute(middle):
            above = middle
        else:
            below = middle
    return above


def _split(text):
    words, word = [], ""
    for letter in text.lower() + " ":
        if letter in "abcdefghijklmnopqrstuvwxyz0123456789":
            word += letter
        elif word:
            if word not in words:
                words.append(word)
            word = ""
    return words


def attention_by_tiles(q, tiles):
    """One key after the other, each with all queries."""
    largest, total, output = None, 0, 0
    for k, v in tiles:
        for key, value in zip(k, v, strict=True):
            score = sum(a * b for a, b in zip(q.unbind(1), key.tolist(), strict=True))
            score = (score / len(key) ** 0.5)[:, None]
            before = score if largest is None else largest
            largest = torch.where(score > before, score, before)
            total = total * (before - largest).exp() + (score - largest).exp()
            output = output * (before - largest).exp() + (score - largest).exp() * value
    return output / total
