"""Rooflines, with the lecture's own numbers."""

import gc
import math

import pytest
import torch
from torch.nn import functional

from assignment.expect import expect

H100 = {"peak_flops": 989.5e12, "bandwidth": 3.35e12}  # dense bfloat16


@pytest.mark.exercise("operation_intensity")
def test_functions_of_an_element(impl):
    """In bfloat16, ReLU does 0.25 FLOP/B, and GELU, with 20 FLOPs per element, does 5"""
    expect(impl.roofline.relu_intensity(1024 * 1024, 2)).close(
        0.25, rtol=1e-12, hint="1 FLOP; 2 bytes read, 2 bytes written"
    )
    expect(impl.roofline.gelu_intensity(1024 * 1024, 2)).close(5.0, rtol=1e-12)


@pytest.mark.exercise("operation_intensity")
def test_products_with_a_vector(impl):
    """A dot product has 0.4999995 FLOP/B, a 1024×1024 matrix times a vector 0.9976"""
    expect(impl.roofline.dot_intensity(1024 * 1024, 2)).close(
        0.49999952316,
        rtol=1e-9,
        hint="n multiplications and n - 1 additions; the result is moved too",
    )
    expect(impl.roofline.matvec_intensity(1024, 1024, 2)).close(
        0.99756335283,
        rtol=1e-9,
        hint="m dot products; the matrix, the vector and the result are moved",
    )


@pytest.mark.exercise("operation_intensity")
def test_products_of_matrices(impl):
    """n×n products in bfloat16 do n/3 FLOP/B, in float32 half as much; thin matrices do less"""
    expect(impl.roofline.matmul_intensity(1024, 1024, 1024, 2)).close(
        1024 / 3, rtol=1e-12, hint="2mkn FLOPs; three matrices are moved"
    )
    expect(impl.roofline.matmul_intensity(1024, 1024, 1024, 4)).close(1024 / 6, rtol=1e-12)
    expect(impl.roofline.matmul_intensity(8, 1024, 1024, 2)).close(7.8769230769, rtol=1e-9)


@pytest.mark.exercise("operation_intensity")
def test_random_intensities(impl, rng):
    """FLOPs over the bytes of all inputs and outputs, also for elements of half a byte"""
    for _ in range(6):
        m, k, n = (int(size) for size in rng.integers(1, 5000, size=3))
        size, each = float(rng.choice([0.5, 0.75, 2, 4])), int(rng.integers(0, 40))
        for name, arguments, flops, elements in [
            ("relu_intensity", (n,), n, 2 * n),
            ("dot_intensity", (n,), n + n - 1, n + n + 1),
            ("matvec_intensity", (m, n), m * (n + n - 1), m * n + n + m),
            ("matmul_intensity", (m, k, n), 2 * m * k * n, m * k + k * n + m * n),
        ]:
            found = getattr(impl.roofline, name)(*arguments, size)
            what = f"{name}{(*arguments, size)}"
            expect(found, what).close(flops / size / elements, rtol=1e-12)
        expect(impl.roofline.gelu_intensity(n, size, each)).close(each / 2 / size, rtol=1e-12)


@pytest.mark.exercise("attainable")
def test_intensity_of_an_h100(impl):
    """An H100 does 295.4 FLOPs in bfloat16 in the time that it needs to move a byte"""
    expect(impl.roofline.accelerator_intensity(**H100)).close(295.37313433, rtol=1e-9)


@pytest.mark.exercise("attainable")
def test_relu_and_a_product_on_an_h100(impl):
    """On an H100, ReLU attains 0.84e12 FLOP/s, bound by memory; a large product the peak"""
    expect(impl.roofline.attainable_flops(0.25, **H100)).close(
        0.8375e12, rtol=1e-12, hint="3.35e12 bytes per second, times 0.25 FLOP per byte"
    )
    expect(impl.roofline.bound(0.25, **H100)).equals("memory")
    expect(impl.roofline.attainable_flops(1024 / 3, **H100)).close(989.5e12, rtol=1e-12)
    expect(impl.roofline.bound(1024 / 3, **H100)).equals("compute")
    expect(impl.roofline.bound(4.0, 8.0, 2.0)).equals("compute", hint="here both limits are equal")


@pytest.mark.exercise("attainable")
def test_a_product_and_then_relu(impl):
    """A 1024×1024 product takes at least 2.17 µs, and ReLU on its result adds half as much"""
    product, relu = (2**31, 6 * 2**20), (2**20, 4 * 2**20)
    expect(impl.roofline.least_time([product], **H100)).close(2.170271e-6, rtol=1e-6)
    expect(impl.roofline.least_time([product, relu], **H100)).close(
        3.422303e-6, rtol=1e-6, hint="the first is bound by compute, the second by memory"
    )


@pytest.mark.exercise("attainable")
def test_random_rooflines(impl, rng):
    """Speed and bound are right, also where the limits are close; no operations take no time"""
    for i in range(12):
        peak, bandwidth = (
            float(n) for n in rng.uniform(0.5, 9, size=2) * 10.0 ** rng.integers(-6, 13)
        )
        ridge = peak / bandwidth
        expect(impl.roofline.accelerator_intensity(peak, bandwidth)).close(ridge, rtol=1e-12)
        intensity = ridge * [1 + 1e-9, 1 - 1e-9, 0.1, 30.0, 0.0, math.inf][i % 6]
        what = f"of intensity {intensity!r} with a peak of {peak!r} and {bandwidth!r} B/s"
        expect(impl.roofline.bound(intensity, peak, bandwidth), f"the bound {what}").equals(
            "memory" if intensity < ridge else "compute"
        )
        expect(impl.roofline.attainable_flops(intensity, peak, bandwidth), what).close(
            min(peak, intensity * bandwidth), rtol=1e-12
        )
        operations = [(float(f), float(b)) for f, b in rng.uniform(0, 9, size=(i % 4, 2))]
        found = impl.roofline.least_time(operations, peak, bandwidth)
        expect(found, f"the least time of {operations}").close(
            math.fsum(max(f / peak, b / bandwidth) for f, b in operations), rtol=1e-12
        )


@pytest.mark.exercise("crossover")
def test_crossover_of_an_h100(impl, rng):
    """n×n products are bound by compute from the first n that is enough, 887 on an H100 in bf16"""
    expect(impl.roofline.crossover_size(**H100, bytes_per_element=2)).equals(
        887, hint="n/3 = 295.37 gives n = 886.1"
    )
    for _ in range(20):
        n, share = int(rng.integers(1, 3000)), float(rng.uniform(0.01, 0.99))
        size, bandwidth = float(rng.choice([0.5, 0.75, 1, 2, 4])), float(rng.uniform(1e11, 1e13))
        numbers = ((n - share) * 2 * bandwidth / 3 / size, bandwidth, size)
        expect(impl.roofline.crossover_size(*numbers), f"crossover_size{numbers}").equals(
            n, hint=f"n = {n - share} would have the accelerator's intensity"
        )


@pytest.mark.exercise("tiled_softmax")
def test_two_tiles_by_hand(impl):
    """Scores of 0, ln 3 and, in a second tile, ln 4 give weights of 1/8, 3/8 and 4/8"""
    keys, values = [[0.0], [math.log(3)], [math.log(4)]], [[8.0], [0.0], [4.0]]
    k, v = torch.tensor(keys), torch.tensor(values)
    found = impl.roofline.attention_by_tiles(torch.ones(1, 1), split(k, v, [2, 1]))
    expect(found).close(
        torch.tensor([[8 / 8 + 4 * 4 / 8]]),
        rtol=1e-5,
        hint="tiles can be gone over only once; after the first, the maximum is ln 3, not ln 4",
    )
    # The same scores from four features: each product is twice the score.
    found = impl.roofline.attention_by_tiles(torch.ones(1, 4), split(k.expand(3, 4) / 2, v, [2, 1]))
    expect(found).close(torch.tensor([[3.0]]), rtol=1e-5, hint="scores are divided by √d")


def split(k, v, sizes):
    """An iterator over tiles of these sizes."""
    yield from zip(k.split(sizes), v.split(sizes), strict=True)


@pytest.mark.exercise("tiled_softmax")
def test_random_tiles(impl, rng, torch_rng):
    """Tiles of any sizes give the attention of all keys, in float32 and in float64"""
    for i in range(10):
        m, d, dv, *sizes = (int(n) for n in rng.integers(1, 9, size=4 + i % 5))
        dtype = (torch.float32, torch.float64)[i % 2]
        q, k, v = (
            torch.randn(rows, columns, generator=torch_rng, dtype=dtype)
            for rows, columns in ((m, d), (sum(sizes), d), (sum(sizes), dv))
        )
        found = impl.roofline.attention_by_tiles(3 * q, split(k, v, sizes))
        what = f"attention of {m} queries, d = {d}, dv = {dv}, tiles of {sizes} keys"
        expected = functional.scaled_dot_product_attention(*(x.double() for x in (3 * q, k, v)))
        bound = 1e-4 if dtype is torch.float32 else 1e-10
        expect(found, what).close(expected.to(dtype), rtol=bound, atol=bound)


@pytest.mark.exercise("tiled_softmax")
def test_large_scores_in_tiles(impl, torch_rng):
    """Scores of 10,000 and -10,000 overflow nowhere, be they in one tile, in one query or in all"""
    v = torch.randn(6, 2, generator=torch_rng, dtype=torch.float64)
    near = torch.tensor([99.0, 100.0, 98.0, 99.5, 100.0, 99.5], dtype=torch.float64)
    far = torch.tensor([0.0, 0.5, 100.0, 99.5, -100.0, -99.5], dtype=torch.float64)
    for k in (near, far, far.flip(0), far[[0, 2, 4, 1, 3, 5]]):
        for q in ([1.0], [-1.0], [1.0, -1.0, 0.0]):
            q = 100 * torch.tensor(q, dtype=torch.float64)[:, None]
            found = impl.roofline.attention_by_tiles(q, split(k[:, None], v, [2, 2, 2]))
            scores = [(q * tile).tolist() for tile in k.split(2)]
            expect(found, f"attention with the scores {scores}").close(
                functional.scaled_dot_product_attention(q, k[:, None], v),
                rtol=1e-6,
                atol=1e-6,
                hint="each query has a maximum of its own, and e^(score - maximum) is at most 1",
            )


def bytes_of_tensors():
    """What all tensors of the test's own process take, where a student's code runs, too."""
    tensors = (one for one in gc.get_objects() if type(one) is torch.Tensor)
    return sum(one.nbytes for one in tensors if one.layout is torch.strided)


@pytest.mark.exercise("tiled_softmax")
def test_no_tile_is_kept(impl, torch_rng):
    """Before the last of 40 tiles, no more memory is held than before the third"""
    q, k, v = (torch.randn(*shape, generator=torch_rng) for shape in ((8, 4), (320, 4), (320, 16)))
    held = []

    def tiles():
        for i, tile in enumerate(split(k, v, [8] * 40)):
            if i in (2, 39):
                held.append(bytes_of_tensors())
            yield tile

    found = impl.roofline.attention_by_tiles(q, tiles())
    expected = functional.scaled_dot_product_attention(q, k, v)
    expect(found, "attention with 40 tiles").close(expected, rtol=1e-5, atol=1e-5)
    expect(len(held), "how often the third and the last of 40 tiles were taken").equals(2)
    grown, tile = held[1] - held[0], 8 * (4 + 16) * 4
    assert grown < 4 * tile, (
        f"{grown} bytes more are held before the last tile than before the third; a tile takes "
        f"{tile} bytes: keep, for each query, only what the next tiles need"
    )
