"""Rooflines, compared with torch tensors, fractions, and brute force.

Quotients of counts are a few operations in float64, each of which rounds by 1e-16, so they must
agree with fractions to 1e-12. Decisions between two answers are tested where floats are exact, or
far enough from the boundary for any order of operations.
"""

import math
from fractions import Fraction

import pytest
import torch
from torch.nn import functional
from torch.utils.flop_counter import FlopCounterMode

from assignment.expect import expect

WIDTHS = [2, 0.5625, 0.53125, 4, 0.625, 1, 0.75]  # bytes; the fractions are formats with scales
AWKWARD = [1, 2, 3, 17, 63, 64, 65, 1023, 1024]
DTYPES = [torch.float64, torch.float32, torch.bfloat16, torch.int8]


def random_operation(rng, count):
    """Sizes, and a dtype."""
    return *rng.choice(AWKWARD, size=count).tolist(), DTYPES[int(rng.integers(len(DTYPES)))]


def moved(dtype, *shapes):
    """Bytes of tensors of these shapes, as torch counts them."""
    return sum(torch.empty(shape, dtype=dtype, device="meta").nbytes for shape in shapes)


def close(call, expected):
    call.close(float(expected), rtol=1e-12)


# --- operation_intensity ------------------------------------------------------


@pytest.mark.exercise("operation_intensity")
def test_relu_does_one_flop_an_element(later, rng):
    """ReLU does one FLOP per element, which is read once and written once, in any dtype"""
    for _ in range(20):
        n, dtype = random_operation(rng, 1)
        expected = Fraction(n, moved(dtype, (n,), (n,)))
        close(later.roofline.relu_intensity(n, dtype.itemsize), expected)


@pytest.mark.exercise("operation_intensity")
def test_a_function_of_an_element(later, rng):
    """GELU does 20 FLOPs per element, or the given number"""
    for _ in range(12):
        (n, dtype), some = random_operation(rng, 1), int(rng.integers(2, 99))
        for each, given in [(20, ()), (some, (some,)), (0, (0,))]:
            expected = Fraction(each * n, moved(dtype, (n,), (n,)))
            close(later.roofline.gelu_intensity(n, dtype.itemsize, *given), expected)


def additions_of_a_sum(n):
    """The number of additions in a sum of n numbers, counted by doing them."""
    return sum(1 for _ in range(1, n))


@pytest.mark.exercise("operation_intensity")
def test_a_dot_product_counts_its_additions(later, rng):
    """A dot product reads two vectors, writes one element, and takes n - 1 additions"""
    for _ in range(20):
        n, dtype = random_operation(rng, 1)
        expected = Fraction(n + additions_of_a_sum(n), moved(dtype, (n,), (n,), ()))
        close(later.roofline.dot_intensity(n, dtype.itemsize), expected)


@pytest.mark.exercise("operation_intensity")
def test_a_matrix_times_a_vector_is_dot_products(later, rng):
    """A matrix times a vector is one dot product per row, and the vector is read once"""
    for _ in range(30):
        m, n, dtype = random_operation(rng, 2)
        flops = m * (n + additions_of_a_sum(n))
        expected = Fraction(flops, moved(dtype, (m, n), (n,), (m,)))
        close(later.roofline.matvec_intensity(m, n, dtype.itemsize), expected)


@pytest.mark.exercise("operation_intensity", weight=2)
def test_a_matrix_product_does_what_torch_counts(later, rng):
    """A matrix product does the FLOPs that torch counts, and moves each matrix once"""
    for _ in range(30):
        m, k, n, dtype = random_operation(rng, 3)
        left, right = torch.empty(m, k, device="meta"), torch.empty(k, n, device="meta")
        with FlopCounterMode(display=False) as counter:
            product = left @ right
        traffic = moved(dtype, left.shape, right.shape, product.shape)
        expected = Fraction(counter.get_total_flops(), traffic)
        close(later.roofline.matmul_intensity(m, k, n, dtype.itemsize), expected)


def check_formulas(later, m, k, n, width):
    """Compares operations with fractions."""
    vector = Fraction(m * (2 * n - 1), m * n + n + m) / Fraction(width)
    matrix = Fraction(2 * m * k * n, m * k + k * n + m * n) / Fraction(width)
    close(later.roofline.relu_intensity(n, width), 1 / (2 * Fraction(width)))
    close(later.roofline.matvec_intensity(m, n, width), vector)
    close(later.roofline.matmul_intensity(m, k, n, width), matrix)


@pytest.mark.exercise("operation_intensity")
def test_elements_of_less_than_a_byte(later, rng):
    """An element may take less than a byte, or a fraction of one"""
    for width in (0.5, 0.5625, 0.75, float(rng.uniform(0.1, 1))):
        m, k, n, _ = random_operation(rng, 3)
        check_formulas(later, m, k, n, width)
        close(later.roofline.gelu_intensity(n, width), 10 / Fraction(width))
        close(later.roofline.dot_intensity(n, width), (2 * n - 1) / ((2 * n + 1) * Fraction(width)))


@pytest.mark.exercise("operation_intensity")
def test_intensities_of_huge_operations(later, rng):
    """Sizes whose products exceed 64 bits have the right intensity"""
    for _ in range(5):
        sizes = [int(i) | 1 for i in rng.integers(2**40, 2**50, size=3)]
        check_formulas(later, *sizes, int(rng.choice([1, 2, 4])))


# --- attainable ---------------------------------------------------------------


def random_accelerator(rng):
    return float(rng.uniform(1e13, 5e15)), float(rng.uniform(1e11, 1e13))


def exact_accelerator(rng):
    """Peak, bandwidth, and intensity of an accelerator for which floats are exact."""
    bandwidth = int(rng.integers(10, 100)) * 2.0**36
    intensity = float(rng.integers(8, 1000))
    return intensity * bandwidth, bandwidth, intensity


@pytest.mark.exercise("attainable")
def test_intensity_of_accelerators(later, rng):
    """An accelerator's intensity is its peak over its bandwidth"""
    for i in range(20):
        peak, bandwidth = random_accelerator(rng)
        if i % 5 == 0:  # in units in which both are less than 1
            peak, bandwidth = peak / 1e16, bandwidth / 1e14
        expected = Fraction(peak) / Fraction(bandwidth)
        close(later.roofline.accelerator_intensity(peak, bandwidth), expected)


@pytest.mark.exercise("attainable", weight=2)
def test_the_lower_limit_holds(later, rng):
    """The attainable speed is the lower of the peak and intensity times bandwidth"""
    for _ in range(40):
        peak, bandwidth = random_accelerator(rng)
        intensity = peak / bandwidth * float(2 ** rng.uniform(-8, 8))
        expected = min(Fraction(peak), Fraction(intensity) * Fraction(bandwidth))
        close(later.roofline.attainable_flops(intensity, peak, bandwidth), expected)


@pytest.mark.exercise("attainable")
def test_the_ends_of_the_roofline(later, rng):
    """At intensity 0, 0 FLOP/s are attained, bound by memory; at a large or infinite one, the peak,
    bound by compute"""
    for _ in range(10):
        peak, bandwidth = given = random_accelerator(rng)
        kink, large = peak / bandwidth, float(rng.uniform(1e6, 1e300))
        ends = [(0, 0), (large, peak), (math.inf, peak)]
        for intensity, expected in [*ends, (kink / 2, peak / 2), (kink, peak), (2 * kink, peak)]:
            close(later.roofline.attainable_flops(intensity, *given), expected)
        later.roofline.bound(0, *given).equals("memory")
        later.roofline.bound(math.inf, *given).equals("compute")


@pytest.mark.exercise("attainable")
def test_which_limit_holds(later, rng):
    """The bound is memory below the accelerator's intensity, and compute above it"""
    for _ in range(20):
        peak, bandwidth = random_accelerator(rng)
        intensity, factor = peak / bandwidth, float(rng.uniform(1.0001, 2))
        later.roofline.bound(intensity / factor, peak, bandwidth).equals("memory")
        later.roofline.bound(intensity * factor, peak, bandwidth).equals("compute")
        tiny = 1e-16  # so are both intensities then
        later.roofline.bound(intensity * tiny / factor, peak * tiny, bandwidth).equals("memory")


@pytest.mark.exercise("attainable")
def test_where_both_limits_hold(later, rng):
    """At the accelerator's intensity the bound is compute, and just below it memory"""
    for _ in range(15):
        peak, bandwidth, intensity = exact_accelerator(rng)
        later.roofline.bound(intensity, peak, bandwidth).equals("compute")
        for below in (intensity - 1, intensity * (1 - 2.0**-40)):
            later.roofline.bound(below, peak, bandwidth).equals("memory")
        for at_least in (intensity, intensity + 1, 2 * intensity):
            close(later.roofline.attainable_flops(at_least, peak, bandwidth), peak)


@pytest.mark.exercise("attainable", weight=2)
def test_least_time_of_a_sequence(later, rng):
    """Each operation takes as long as its slower side, and operations do not overlap"""
    for count in (1, 1, 2, 3, 5, 8, 20):
        peak, bandwidth = random_accelerator(rng)
        operations, expected = [], Fraction(0)
        for _ in range(count):
            flops = int(rng.integers(1, 2**50))
            size = int(flops * bandwidth / peak * float(2 ** rng.uniform(-3, 3))) + 1
            operations.append((flops, size))
            expected += max(Fraction(flops) / Fraction(peak), Fraction(size) / Fraction(bandwidth))
        close(later.roofline.least_time(operations, peak, bandwidth), expected)


@pytest.mark.exercise("attainable")
def test_least_time_without_work_or_traffic(later, rng):
    """No operations take no time; without FLOPs only traffic counts, and vice versa"""
    for _ in range(5):
        peak, bandwidth = random_accelerator(rng)
        flops, size = rng.uniform(1e9, 1e15, size=2).tolist()
        copy, compute = Fraction(size) / Fraction(bandwidth), Fraction(flops) / Fraction(peak)
        busy = [(float(2 * copy * Fraction(peak)), size), (flops, float(compute * bandwidth / 2))]
        for operations, expected in [
            ([], 0),
            ([(0, 0)], 0),
            ([(0, size)], copy),
            ([(flops, 0)], compute),
            ([(flops, 0), (0, size)], copy + compute),
            (busy, 2 * copy + compute),  # more work than traffic
        ]:
            close(later.roofline.least_time(operations, peak, bandwidth), expected)


# --- crossover ----------------------------------------------------------------


def is_bound_by_compute(n, peak, bandwidth, width):
    """Whether computing an n×n product takes at least as long as moving it, in fractions."""
    computing = Fraction(2 * n**3) / Fraction(peak)
    return computing >= Fraction(3 * n**2) * Fraction(width) / Fraction(bandwidth)


def crossover_between_sizes(rng, width, most=5000):
    """A size, and an accelerator whose crossover is a little below it, and above the size before.

    It is far enough from both for any order of operations in floats.
    """
    n, bandwidth = int(rng.integers(2, most)), float(rng.uniform(1e11, 1e13))
    peak = (n - float(rng.uniform(0.01, 0.99))) * 2 * bandwidth / (3 * width)
    return n, peak, bandwidth


@pytest.mark.exercise("crossover")
def test_the_first_size_that_is_bound_by_compute(impl, rng):
    """The product of this size is bound by compute, and that of one less is not"""
    for i in range(42):
        width = WIDTHS[i % len(WIDTHS)]
        _, peak, bandwidth = crossover_between_sizes(rng, width, 10 ** (i // 7 + 1))
        if i % 5 == 0:  # in units in which both are less than 1
            peak, bandwidth = peak / 1e20, bandwidth / 1e20
        n = impl.roofline.crossover_size(peak, bandwidth, width)
        expect(n, "the size").is_a(int)
        what = f"{n}×{n} at {peak} FLOP/s, {bandwidth} B/s, {width} B per element"
        bound = n >= 1 and is_bound_by_compute(n, peak, bandwidth, width)
        less = n > 1 and is_bound_by_compute(n - 1, peak, bandwidth, width)
        expect([bound, less], f"whether {what}, and one less, are bound").equals([True, False])


@pytest.mark.exercise("crossover")
def test_every_size_is_bound_by_compute(later, rng):
    """With very high bandwidth the answer is 1, the smallest matrix"""
    for width in WIDTHS:
        bandwidth = float(rng.uniform(1e11, 1e13))
        peak = bandwidth / width * float(rng.uniform(0.001, 0.6))
        later.roofline.crossover_size(peak, bandwidth, width).equals(1)
        n, *given = crossover_between_sizes(rng, width)
        later.roofline.crossover_size(*given, width).equals(n)


# --- tiled_softmax --------------------------------------------------------------

MIB = 2**20
# MiB, beyond a call with few tiles, and beyond a process without the implementation: else it could
# take much memory first, and free it. Correct solutions take up to 6, and 31. What they must not
# keep takes 48.
ALLOWED, ALLOWED_WITH_IMPORTS = 16, 56


def randn(torch_rng, *shape):
    return torch.randn(shape, generator=torch_rng)


def attention(q, tiles):
    """Of all keys at once, by torch, in float64."""
    keys, values = (torch.cat([tile[part] for tile in tiles]).double() for part in (0, 1))
    return functional.scaled_dot_product_attention(q.double(), keys, values)


def attended(impl, q, tiles):
    """The result of an iterator over these tiles, in float64: its dtype is a rule of its own."""
    found = impl.roofline.attention_by_tiles(q, (tile for tile in tiles))
    return found.double() if isinstance(found, torch.Tensor) else found


def check_attention(impl, q, tiles):
    what = f"attention with {len(q)} queries and tiles of {[len(k) for k, _ in tiles]} keys"
    expect(attended(impl, q, tiles), what).close(attention(q, tiles), rtol=1e-4, atol=1e-4)


def one_feature(torch_rng, size, dv, low, high):
    """A tile of keys with one feature, which makes √d 1, and of random values."""
    k = torch.rand(size, 1, generator=torch_rng) * (high - low) + low
    return k, randn(torch_rng, size, dv)


def levelled(torch_rng, levels, t, dv):
    """A tile near each level, in float64: near 10,000, float32 has only three decimals."""
    tiles = (one_feature(torch_rng, t, dv, level, level + 0.04) for level in levels)
    return [(k.double(), v.double()) for k, v in tiles]


def sizes_of(rng, count):
    """Different sizes."""
    return (int(n) for n in rng.choice(range(2, 10), size=count, replace=False))


def check_memory(impl, torch_rng, idle, *, queries, wide, tile, count):
    """Compares attention with many tiles, and what it takes, where scores rise from -100 to 200."""
    few = 1 + torch.arange(8)[:, None] / 128  # different queries
    which = torch.randint(8, (queries,), generator=torch_rng)
    keys = torch.linspace(-100, 200, count * tile)[:, None] + 2 * randn(torch_rng, count * tile, 1)
    weights = torch.softmax(few.double() @ keys.double().T, dim=1).float().split(tile, dim=1)
    numbers = torch.rand(2 * tile * wide, generator=torch_rng) - 0.5
    starts = torch.randint(tile * wide, (count,), generator=torch_rng).tolist()
    expected = torch.zeros(8, wide)

    def tiles(count):
        for k, weight, start in zip(keys.split(tile), weights, starts[:count], strict=False):
            v = numbers[start:][: tile * wide].clone().view(tile, wide)
            expected.addmm_(weight, v)
            yield k, v

    impl.roofline.attention_by_tiles(few[which], tiles(4))
    before = impl.peak_rss()
    expected.zero_()
    found = impl.roofline.attention_by_tiles(few[which], tiles(count))
    grown, grown_in_all = ((impl.peak_rss() - since) / MIB for since in (before, idle))
    assert grown < ALLOWED, f"{grown:.1f} MiB"
    assert grown_in_all < ALLOWED_WITH_IMPORTS, f"{grown_in_all:.1f} MiB, imports included"
    found = found.float() if isinstance(found, torch.Tensor) else found
    expect(found, f"attention with {count} tiles").close(expected[which], rtol=1e-3, atol=1e-3)


@pytest.mark.exercise("tiled_softmax", weight=2)
def test_tiles_are_not_kept(impl, torch_rng):
    """Attention over many tiles is right, and memory does not grow with their number"""
    idle = impl.peak_rss()
    # All values take 48 MiB, and so would an output for each tile; then all scores.
    check_memory(impl, torch_rng, idle, queries=8, wide=16384, tile=8, count=96)
    check_memory(impl, torch_rng, idle, queries=8192, wide=2, tile=16, count=96)


@pytest.mark.exercise("tiled_softmax", needs="test_tiles_are_not_kept")
def test_scores_are_divided_by_the_root_of_the_features(impl, rng, torch_rng):
    """Scores are q·k divided by the root of the number of features"""
    for _ in range(10):
        m, d, dv, t = sizes_of(rng, 4)
        tiles = [(2 * randn(torch_rng, t, d), randn(torch_rng, t, dv)) for _ in range(4)]
        check_attention(impl, 2 * randn(torch_rng, m, d), tiles)


@pytest.mark.exercise("tiled_softmax", needs="test_tiles_are_not_kept")
def test_no_score_overflows(impl, rng, torch_rng):
    """Scores of either sign and of any size have their weights, in one tile or in several"""
    for levels in ([78] * 3, [-78] * 3, [78, 0, -78], [-78, 0, 78], [0, -78, -78], [-78, 78, 0]):
        m, dv, t = sizes_of(rng, 3)
        tiles = levelled(torch_rng, levels, t, dv)
        k, v = map(torch.cat, zip(*tiles, strict=True))
        mixed = [(k[i::3], v[i::3]) for i in range(3)]  # each tile has keys of several levels
        for some in (tiles, mixed):
            check_attention(impl, torch.full((m, 1), 128.0, dtype=torch.float64), some)


@pytest.mark.exercise("tiled_softmax", needs="test_tiles_are_not_kept")
def test_each_query_has_its_own_maximum(impl, rng, torch_rng):
    """Each query has a maximum of its own, however far apart they are"""
    for levels in ([78, 78, 78], [-78, -78], [78, -78, 0], [-78, 0, 78], [0, 78, -78]):
        dv, t = sizes_of(rng, 2)
        tiles = levelled(torch_rng, levels, t, dv)
        q = torch.tensor([[128.0], [-128.0], [0.0]], dtype=torch.float64)
        check_attention(impl, q[torch.randperm(3, generator=torch_rng)], tiles)


@pytest.mark.exercise("tiled_softmax", needs="test_tiles_are_not_kept")
def test_tiles_of_any_sizes(impl, rng, torch_rng):
    """Tiles may have different sizes, and the last or the first a single key"""
    for _ in range(8):
        m, dv, t = sizes_of(rng, 3)
        sizes = [t, *(int(n) for n in rng.integers(1, 2 * t, size=3)), 1]
        for order in (sizes, sizes[::-1], [1], [t, 1]):
            tiles = [one_feature(torch_rng, size, dv, -2, 2) for size in order]
            check_attention(impl, randn(torch_rng, m, 1), tiles)


@pytest.mark.exercise("tiled_softmax", needs="test_tiles_are_not_kept")
def test_dtypes_of_attention(impl, rng, torch_rng):
    """The result has the dtype of the queries, and in float64 its precision"""
    for dtype, bound in ((torch.float64, 1e-10), (torch.float32, 1e-4)):
        for _ in range(4):
            m, dv, t = sizes_of(rng, 3)
            tiles = [
                tuple(part.to(dtype) for part in one_feature(torch_rng, t, dv, -3, 3))
                for _ in range(4)
            ]
            q = torch.randn(m, 1, generator=torch_rng, dtype=dtype)
            found = impl.roofline.attention_by_tiles(q, (tile for tile in tiles))
            expected = attention(q, tiles).to(dtype)
            expect(found, f"attention in {dtype}").close(expected, rtol=bound, atol=bound)
