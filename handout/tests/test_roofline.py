"""Rooflines, with the lecture's own numbers."""

import math

import pytest

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
