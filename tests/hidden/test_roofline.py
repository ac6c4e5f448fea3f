"""Rooflines, compared with torch tensors, fractions, and brute force.

Quotients of counts are a few operations in float64, each of which rounds by 1e-16, so they must
agree with fractions to 1e-12. Decisions between two answers are tested where floats are exact, or
far enough from the boundary for any order of operations.
"""

import itertools
import math
from fractions import Fraction

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from assignment import hardware
from assignment.expect import expect

WIDTHS = [2, 0.5625, 0.53125, 4, 0.625, 1, 0.75]  # bytes; the fractions are formats with scales
AWKWARD = [1, 2, 3, 17, 63, 64, 65, 1023, 1024]
DTYPES = [torch.float64, torch.float32, torch.bfloat16, torch.int8]


def sizes(rng, count):
    return [int(n) for n in rng.choice(AWKWARD, size=count)]


def random_dtype(rng):
    return DTYPES[int(rng.integers(len(DTYPES)))]


def moved(dtype, *shapes):
    """Bytes of tensors of these shapes, as torch counts them."""
    return sum(torch.empty(shape, dtype=dtype, device="meta").nbytes for shape in shapes)


def close(found, expected, what):
    expect(found, what).close(float(expected), rtol=1e-12)


# --- operation_intensity ------------------------------------------------------


@pytest.mark.exercise("operation_intensity")
def test_relu_does_one_flop_an_element(impl, rng):
    """ReLU does one FLOP per element, which is read once and written once, in any dtype"""
    for _ in range(20):
        (n,), dtype = sizes(rng, 1), random_dtype(rng)
        found = impl.roofline.relu_intensity(n, dtype.itemsize)
        close(found, Fraction(n, moved(dtype, (n,), (n,))), f"ReLU on {n} of {dtype}")


@pytest.mark.exercise("operation_intensity")
def test_a_function_of_an_element(impl, later, rng):
    """GELU does 20 FLOPs per element, or the given number"""
    for _ in range(12):
        (n,), dtype, each = sizes(rng, 1), random_dtype(rng), int(rng.integers(2, 99))
        traffic = moved(dtype, (n,), (n,))
        found = impl.roofline.gelu_intensity(n, dtype.itemsize)
        close(found, Fraction(20 * n, traffic), f"GELU on {n} of {dtype}")
        found = impl.roofline.gelu_intensity(n, dtype.itemsize, each)
        close(found, Fraction(each * n, traffic), f"{each} FLOPs on each of {n} of {dtype}")
        later.roofline.gelu_intensity(n, dtype.itemsize, 0).close(0.0, rtol=0)


def additions_of_a_sum(n):
    """The number of additions in a sum of n numbers, counted by doing them."""
    return sum(1 for _ in range(1, n))


@pytest.mark.exercise("operation_intensity")
def test_a_dot_product_counts_its_additions(impl, rng):
    """A dot product reads two vectors, writes one element, and takes n - 1 additions"""
    for _ in range(20):
        (n,), dtype = sizes(rng, 1), random_dtype(rng)
        flops = n + additions_of_a_sum(n)
        found = impl.roofline.dot_intensity(n, dtype.itemsize)
        expected = Fraction(flops, moved(dtype, (n,), (n,), ()))
        close(found, expected, f"a dot product of {n} of {dtype}")


@pytest.mark.exercise("operation_intensity")
def test_a_matrix_times_a_vector_is_dot_products(impl, rng):
    """A matrix times a vector is one dot product per row, and the vector is read once"""
    for _ in range(30):
        (m, n), dtype = sizes(rng, 2), random_dtype(rng)
        flops = m * (n + additions_of_a_sum(n))
        found = impl.roofline.matvec_intensity(m, n, dtype.itemsize)
        expected = Fraction(flops, moved(dtype, (m, n), (n,), (m,)))
        close(found, expected, f"{m}×{n} of {dtype} times a vector")


@pytest.mark.exercise("operation_intensity", weight=2)
def test_a_matrix_product_does_what_torch_counts(impl, rng):
    """A matrix product does the FLOPs that torch counts, and moves each matrix once"""
    for _ in range(30):
        (m, k, n), dtype = sizes(rng, 3), random_dtype(rng)
        left, right = torch.empty(m, k, device="meta"), torch.empty(k, n, device="meta")
        with FlopCounterMode(display=False) as counter:
            product = left @ right
        found = impl.roofline.matmul_intensity(m, k, n, dtype.itemsize)
        traffic = moved(dtype, left.shape, right.shape, product.shape)
        expected = Fraction(counter.get_total_flops(), traffic)
        close(found, expected, f"({m}×{k})·({k}×{n}) of {dtype}")


@pytest.mark.exercise("operation_intensity")
def test_elements_of_less_than_a_byte(impl, rng):
    """An element may take less than a byte, or a fraction of one"""
    for width in (0.5, 0.5625, 0.75, float(rng.uniform(0.1, 1))):
        m, k, n = sizes(rng, 3)
        roofline, exact = impl.roofline, Fraction(width)
        close(roofline.relu_intensity(n, width), 1 / (2 * exact), "ReLU")
        close(roofline.gelu_intensity(n, width), 20 / (2 * exact), "GELU")
        close(roofline.dot_intensity(n, width), (2 * n - 1) / ((2 * n + 1) * exact), "dot")
        expected = m * (2 * n - 1) / ((m * n + n + m) * exact)
        close(roofline.matvec_intensity(m, n, width), expected, "matrix times vector")
        expected = 2 * m * k * n / ((m * k + k * n + m * n) * exact)
        close(roofline.matmul_intensity(m, k, n, width), expected, "matrix times matrix")


@pytest.mark.exercise("operation_intensity")
def test_intensities_of_huge_operations(impl, rng):
    """Sizes whose products exceed 64 bits have the right intensity"""
    for _ in range(5):
        m, k, n = (int(i) | 1 for i in rng.integers(2**40, 2**50, size=3))
        width = int(rng.choice([1, 2, 4]))
        expected = Fraction(2 * m * k * n, width * (m * k + k * n + m * n))
        close(impl.roofline.matmul_intensity(m, k, n, width), expected, "matrix times matrix")
        expected = Fraction(m * (2 * n - 1), width * (m * n + n + m))
        close(impl.roofline.matvec_intensity(m, n, width), expected, "matrix times vector")
        close(impl.roofline.relu_intensity(m * n, width), Fraction(1, 2 * width), "ReLU")


@pytest.mark.exercise("operation_intensity")
def test_refuses_operations_on_nothing(impl, later, rng):
    """Sizes below 1, bytes that are not positive, negative FLOPs, and nan are refused"""
    n, width = int(rng.integers(2, 99)), 1.0
    good = {
        impl.roofline.relu_intensity: (n, width),
        impl.roofline.gelu_intensity: (n, width, 3),
        impl.roofline.dot_intensity: (n, width),
        impl.roofline.matvec_intensity: (3, n, width),
        impl.roofline.matmul_intensity: (3, n, 4, width),
    }
    names = ["relu", "gelu", "dot", "matvec", "matmul"]
    for (function, arguments), name in zip(good.items(), names, strict=True):
        for i in range(len(arguments)):
            bad = (-1,) if (name, i) == ("gelu", 2) else (0, -1, -n)
            bad += (math.nan,) * isinstance(arguments[i], float)
            for value in bad:
                with pytest.raises(ValueError):
                    function(*arguments[:i], value, *arguments[i + 1 :])
    for signs in [(-1, -1, 1), (1, -1, -1), (-1, 1, -1), (0, 0, 0)]:
        later.roofline.matmul_intensity(*(sign * n for sign in signs), width).raises(ValueError)
    later.roofline.matvec_intensity(-n, -3, -width).raises(ValueError)
    results = [function(*arguments) for function, arguments in good.items()]
    flops = [n, 3 * n, 2 * n - 1, 3 * (2 * n - 1), 24 * n]
    elements = [2 * n, 2 * n, 2 * n + 1, 4 * n + 3, 7 * n + 12]
    for name, found, done, held in zip(names, results, flops, elements, strict=True):
        close(found, done / (held * Fraction(width)), name)


# --- attainable ---------------------------------------------------------------


def random_accelerator(rng):
    return float(rng.uniform(1e13, 5e15)), float(rng.uniform(1e11, 1e13))


def exact_accelerator(rng):
    """Peak, bandwidth, and intensity of an accelerator for which floats are exact."""
    bandwidth = int(rng.integers(10, 100)) * 2.0**36
    intensity = float(rng.integers(8, 1000))
    return intensity * bandwidth, bandwidth, intensity


@pytest.mark.exercise("attainable")
def test_intensity_of_accelerators(impl, rng):
    """An accelerator's intensity is its peak over its bandwidth"""
    for i in range(20):
        peak, bandwidth = random_accelerator(rng)
        if i % 5 == 0:  # in units in which both are less than 1
            peak, bandwidth = peak / 1e16, bandwidth / 1e14
        found = impl.roofline.accelerator_intensity(peak, bandwidth)
        close(found, Fraction(peak) / Fraction(bandwidth), f"{peak} FLOP/s, {bandwidth} B/s")


@pytest.mark.exercise("attainable", weight=2)
def test_the_lower_limit_holds(impl, rng):
    """The attainable speed is the lower of the peak and intensity times bandwidth"""
    for _ in range(40):
        peak, bandwidth = random_accelerator(rng)
        intensity = peak / bandwidth * float(2 ** rng.uniform(-8, 8))
        expected = min(Fraction(peak), Fraction(intensity) * Fraction(bandwidth))
        found = impl.roofline.attainable_flops(intensity, peak, bandwidth)
        close(found, expected, f"{intensity} FLOP/B at {peak} FLOP/s, {bandwidth} B/s")


@pytest.mark.exercise("attainable")
def test_the_ends_of_the_roofline(impl, later, rng):
    """An intensity of 0 attains 0 FLOP/s, and a large one at most the peak"""
    for _ in range(10):
        peak, bandwidth = random_accelerator(rng)
        attainable = impl.roofline.attainable_flops
        expect(attainable(0, peak, bandwidth)).close(0.0, rtol=0)
        expect(attainable(float(rng.uniform(1e6, 1e300)), peak, bandwidth)).close(peak, rtol=1e-12)
        expect(attainable(math.inf, peak, bandwidth)).close(peak, rtol=1e-12)
        for share in (0.5, 1, 2):
            found = attainable(share * (peak / bandwidth), peak, bandwidth)
            close(found, min(share, 1) * peak, f"at {share} of the kink")
        later.roofline.bound(0, peak, bandwidth).equals("memory")
        later.roofline.bound(math.inf, peak, bandwidth).equals("compute")


@pytest.mark.exercise("attainable")
def test_which_limit_holds(impl, rng):
    """The bound is memory below the accelerator's intensity, and compute above it"""
    for _ in range(20):
        peak, bandwidth = random_accelerator(rng)
        intensity, factor = peak / bandwidth, float(rng.uniform(1.0001, 2))
        bound = impl.roofline.bound
        expect(bound(intensity / factor, peak, bandwidth), "the bound below").equals("memory")
        expect(bound(intensity * factor, peak, bandwidth), "the bound above").equals("compute")
        slow = peak * 1e-16  # both intensities are tiny
        found = bound(intensity * 1e-16 / factor, slow, bandwidth)
        expect(found, "the bound of a slow one").equals("memory")


@pytest.mark.exercise("attainable")
def test_where_both_limits_hold(impl, later, rng):
    """At the accelerator's intensity, where the peak is reached, the bound is compute"""
    for _ in range(15):
        peak, bandwidth, intensity = exact_accelerator(rng)
        bound = impl.roofline.bound
        expect(bound(intensity, peak, bandwidth), "the bound at the kink").equals("compute")
        expect(bound(intensity - 1, peak, bandwidth), "the bound just below").equals("memory")
        near = intensity * (1 - 2.0**-40)
        expect(bound(near, peak, bandwidth), "the bound nearer below").equals("memory")
        for above in (0, 1, intensity):
            found = later.roofline.attainable_flops(intensity + above, peak, bandwidth)
            found.close(peak, rtol=1e-12)


@pytest.mark.exercise("attainable", weight=2)
def test_least_time_of_a_sequence(impl, rng):
    """Each operation takes as long as its slower side, and operations do not overlap"""
    for count in (1, 1, 2, 3, 5, 8, 20):
        peak, bandwidth = random_accelerator(rng)
        operations, expected = [], Fraction(0)
        for _ in range(count):
            flops = int(rng.integers(1, 2**50))
            size = int(flops * bandwidth / peak * float(2 ** rng.uniform(-3, 3))) + 1
            operations.append((flops, size))
            expected += max(Fraction(flops) / Fraction(peak), Fraction(size) / Fraction(bandwidth))
        found = impl.roofline.least_time(operations, peak, bandwidth)
        close(found, expected, f"seconds of {count} operations")


@pytest.mark.exercise("attainable")
def test_least_time_without_work_or_traffic(impl, rng):
    """No operations take no time; without FLOPs only traffic counts, and vice versa"""
    for _ in range(5):
        peak, bandwidth = random_accelerator(rng)
        flops, size = (float(n) for n in rng.uniform(1e9, 1e15, size=2))
        least_time = impl.roofline.least_time
        expect(least_time([], peak, bandwidth)).close(0.0, rtol=0)
        expect(least_time([(0, 0)], peak, bandwidth)).close(0.0, rtol=0)
        copy, compute = Fraction(size) / Fraction(bandwidth), Fraction(flops) / Fraction(peak)
        close(least_time([(0, size)], peak, bandwidth), copy, "a copy")
        close(least_time([(flops, 0)], peak, bandwidth), compute, "work without traffic")
        both = least_time([(flops, 0), (0, size)], peak, bandwidth)
        close(both, copy + compute, "one after the other")
        busy = [(float(2 * copy * Fraction(peak)), size), (flops, float(compute * bandwidth / 2))]
        close(least_time(busy, peak, bandwidth), 2 * copy + compute, "more work than traffic")


@pytest.mark.exercise("attainable")
def test_refuses_what_is_no_accelerator(impl, later, rng):
    """A peak or bandwidth that is not positive, negative FLOPs or bytes, and nan are refused"""
    peak, bandwidth = random_accelerator(rng)
    intensity = float(rng.uniform(0.1, 1))
    zero_or_nan = [(no, bandwidth) for no in (0, math.nan)] + [(peak, no) for no in (0, math.nan)]
    for bad in [*zero_or_nan, (-peak, bandwidth), (peak, -bandwidth), (-peak, -1.0)]:
        for call in (
            lambda *of: impl.roofline.accelerator_intensity(*of),
            lambda *of: impl.roofline.attainable_flops(intensity, *of),
            lambda *of: impl.roofline.bound(intensity, *of),
            lambda *of: impl.roofline.least_time([(1.0, 1.0)], *of),
            lambda *of: impl.roofline.least_time([], *of),
        ):
            with pytest.raises(ValueError):
                call(*bad)
    for negative in (-intensity, -math.inf, math.nan):
        later.roofline.attainable_flops(negative, peak, bandwidth).raises(ValueError)
        later.roofline.bound(negative, peak, bandwidth).raises(ValueError)
    for operation in [(-1.0, 1e9), (1e9, -1.0), (-1.0, -1.0), (math.nan, 1e9), (1e9, math.nan)]:
        later.roofline.least_time([(1e9, 1e9), operation], peak, bandwidth).raises(ValueError)
    roofline, kink = impl.roofline, peak / bandwidth
    close(roofline.accelerator_intensity(peak, bandwidth), kink, "intensity")
    for share, slower in [(intensity, "memory"), (1 / intensity, "compute")]:
        found = roofline.attainable_flops(share * kink, peak, bandwidth)
        close(found, min(share, 1) * peak, "FLOP/s")
        expect(roofline.bound(share * kink, peak, bandwidth)).equals(slower)
        found = roofline.least_time([(share * kink * 1e9, 1e9), (0, 2e9)], peak, bandwidth)
        close(found, (max(share, 1) * 1e9 + 2e9) / bandwidth, "seconds")


# --- crossover ----------------------------------------------------------------


def is_bound_by_compute(n, peak, bandwidth, width):
    """Whether computing an n×n product takes at least as long as moving it, in fractions."""
    computing = Fraction(2 * n**3) / Fraction(peak)
    return computing >= Fraction(3 * n**2) * Fraction(width) / Fraction(bandwidth)


def exact_crossover(rng, width):
    """A size, and an accelerator of floats for which it is exactly the crossover."""
    n = int(rng.integers(4, 5000))
    j = int(rng.integers(2**52, 2**53)) // (765 * n) * 765  # 3·n·j has more bits than a float
    peak = 2 * n * j / Fraction(width)
    assert peak == float(peak)
    return n, float(peak), 3.0 * j


QUOTIENTS = [  # in floats, each rounds several times
    lambda peak, bandwidth, width: peak / bandwidth * 3 * width / 2,
    lambda peak, bandwidth, width: 3 * width * peak / (2 * bandwidth),
    lambda peak, bandwidth, width: 1.5 * width * peak / bandwidth,
    lambda peak, bandwidth, width: 1.5 * width * (peak / bandwidth),
    lambda peak, bandwidth, width: Fraction(3 * width * peak) / Fraction(2 * bandwidth),
]


def treacherous_crossover(rng, width, quotient):
    """One of those for which `quotient` gives more than the exact whole number."""
    while True:
        n, peak, bandwidth = exact_crossover(rng, width)
        if quotient(peak, bandwidth, width) > n:
            return n, peak, bandwidth


def rounded_crossovers(rng):
    """For each quotient a size, accelerator and width for which its ceil is not the size."""
    for quotient in QUOTIENTS:
        exact = found = 0
        while exact == found:
            bandwidth, width = float(rng.uniform(1e11, 1e13)), float(rng.uniform(0.3, 9))
            peak = 2 * int(rng.integers(2, 5000)) * bandwidth / (3 * width)
            exact = math.ceil(Fraction(peak) / Fraction(bandwidth) * 3 * Fraction(width) / 2)
            found = math.ceil(quotient(peak, bandwidth, width))
        yield exact, peak, bandwidth, width


@pytest.mark.exercise("crossover", weight=2)
def test_the_first_size_that_is_bound_by_compute(impl, rng):
    """The product of this size is bound by compute, and that of one less is not"""
    for i in range(40):
        peak, bandwidth = random_accelerator(rng)
        width = WIDTHS[i % len(WIDTHS)]
        n = impl.roofline.crossover_size(peak, bandwidth, width)
        expect(n, "the size").is_a(int)
        what = f"{n}×{n} at {peak} FLOP/s, {bandwidth} B/s, {width} B per element"
        bound = n >= 1 and is_bound_by_compute(n, peak, bandwidth, width)
        less = n > 1 and is_bound_by_compute(n - 1, peak, bandwidth, width)
        expect([bound, less], f"whether {what}, and one less, are bound").equals([True, False])


@pytest.mark.exercise("crossover", weight=2)
def test_where_the_crossover_is_a_whole_number(later, rng):
    """If the crossover is a whole number, that is the answer, without rounding errors"""
    cases = [(width, *exact_crossover(rng, width)) for width in 6 * WIDTHS]
    for quotient in QUOTIENTS:
        cases += [
            (width, *treacherous_crossover(rng, width, quotient))
            for width in 3 * [0.5625, 0.53125, 0.625]
        ]
    for width, n, peak, bandwidth in cases:
        later.roofline.crossover_size(peak, bandwidth, width).equals(n)


@pytest.mark.exercise("crossover")
def test_just_beside_a_whole_number(later, rng):
    """A slightly higher peak than at a whole crossover needs one more, a lower one the same"""
    for i in range(24):
        width = WIDTHS[i % len(WIDTHS)]
        n, peak, bandwidth = exact_crossover(rng, width)
        for higher in (peak * (1 + 2.0**-30), math.nextafter(peak, math.inf)):
            later.roofline.crossover_size(higher, bandwidth, width).equals(n + 1)
        for lower in (peak * (1 - 2.0**-30), math.nextafter(peak, 0)):
            later.roofline.crossover_size(lower, bandwidth, width).equals(n)
    for n, *given in rounded_crossovers(rng):
        later.roofline.crossover_size(*given).equals(n)


@pytest.mark.exercise("crossover")
def test_crossover_takes_floats_as_they_are(impl, rng):
    """A float counts as the number that it holds, not as the decimals that it is written with"""
    for quotient, side in itertools.product(QUOTIENTS, (1, -1)):
        # As decimals the crossover is n, and so it is of rounded floats. The floats themselves move
        # it beyond n, or not.
        n, off, rounded = 0, 0, 0
        while off * side <= 0 or (off > 0 and rounded > n):
            n, tenths = int(rng.integers(2, 500)), int(rng.integers(1, 100))
            peak, bandwidth = 2 * n * tenths / 10, 3 * tenths / 10
            off = Fraction(peak) * 3 - 2 * n * Fraction(bandwidth)
            rounded = math.ceil(quotient(peak, bandwidth, 1))
        for unit in (1, 2.0**-20):  # in the other one, both are less than 1
            found = impl.roofline.crossover_size(peak * unit, bandwidth * unit, 1)
            what = f"the size for {peak * unit} FLOP/s, {bandwidth * unit} B/s"
            expect(found, what).equals(n + (side > 0))


@pytest.mark.exercise("crossover")
def test_crossover_where_floats_round(later, rng):
    """Where a formula in floats rounds to the wrong side, the size is exact"""
    for n, *given in [*rounded_crossovers(rng), *rounded_crossovers(rng)]:
        later.roofline.crossover_size(*given).equals(n)


@pytest.mark.exercise("crossover")
def test_every_size_is_bound_by_compute(later, rng):
    """With very high bandwidth the answer is 1, the smallest matrix"""
    for width in WIDTHS:
        bandwidth = float(rng.uniform(1e11, 1e13))
        peak = bandwidth / width * float(rng.uniform(0.001, 0.6))
        later.roofline.crossover_size(peak, bandwidth, width).equals(1)
    for n, *given in rounded_crossovers(rng):
        later.roofline.crossover_size(*given).equals(n)


@pytest.mark.exercise("crossover")
def test_crossover_refuses_what_is_not_positive(later, rng):
    """A peak, a bandwidth or a width that is not positive is refused, and so is nan"""
    _, peak, bandwidth = exact_crossover(rng, 2)
    for bad in [
        *((0, bandwidth, 2), (-peak, bandwidth, 2), (peak, 0, 2), (peak, -bandwidth, 2)),
        *((peak, bandwidth, 0), (peak, bandwidth, -2), (-peak, -bandwidth, 2)),
        *((-peak, bandwidth, -2), (peak, -bandwidth, -2), (0, 0, 0)),
        *((math.nan, bandwidth, 2), (peak, math.nan, 2), (peak, bandwidth, math.nan)),
    ]:
        later.roofline.crossover_size(*bad).raises(ValueError)
    for n, *given in rounded_crossovers(rng):
        later.roofline.crossover_size(*given).equals(n)


# --- find_accelerator ---------------------------------------------------------

# Names that drivers report, and the keys of the table.
REPORTED = {
    "Tesla T4": "T4",
    "Tesla V100-SXM2-16GB": "V100 SXM2 16GB",
    "Tesla V100-SXM2-32GB": "V100 SXM2 32GB",
    "Tesla V100-PCIE-32GB": "V100 PCIe 32GB",
    "NVIDIA A10": "A10",
    "NVIDIA A10G": "A10G",
    "A100-SXM4-40GB": "A100 40GB",
    "NVIDIA A100-PCIE-40GB": "A100 40GB",
    "NVIDIA A100-SXM4-80GB": "A100 SXM 80GB",
    "NVIDIA A100 80GB PCIe": "A100 PCIe 80GB",
    "NVIDIA L4": "L4",
    "NVIDIA L40": "L40",
    "NVIDIA L40S": "L40S",
    "NVIDIA H100 80GB HBM3": "H100 SXM",
    "NVIDIA H100 PCIe": "H100 PCIe",
    "NVIDIA H100 NVL": "H100 NVL",
    "NVIDIA H200": "H200 SXM",
    "NVIDIA H200 NVL": "H200 NVL",
    "NVIDIA B200": "B200",
    "NVIDIA GB200": "GB200",
}
NOT_IN_THE_TABLE = [
    *("NVIDIA H20", "NVIDIA H800", "NVIDIA H100", "NVIDIA A100", "NVIDIA B300", "NVIDIA GB300"),
    *("NVIDIA GH200 480GB", "NVIDIA GeForce RTX 4090", "NVIDIA RTX A6000", "NVIDIA A16", "NVIDIA"),
    *("NVIDIA L400", "Tesla P100-SXM2-16GB", "AMD Instinct MI250X", "cpu", "T", "100", "GB", ""),
]
# No word is part of another: whole words are tested separately.
WORDS = ["X1S", "GX1", "80GB", "PCIe", "SXM", "NVL", "m70", "Pro", "Max", "R2"]


def table_of(*names):
    """A table with an entry for each list of names; its keys are arbitrary."""
    return {f"entry {i}": {"names": list(n), "bandwidth": 1e12} for i, n in enumerate(names)}


def in_any_order(rng, table):
    keys = list(table)
    return {keys[i]: table[keys[i]] for i in rng.permutation(len(keys))}


def disguised(rng, words):
    """The words as a driver may report them: in any case, with any separators."""
    cases = [str.upper, str.lower, str.title, str]
    words = [cases[int(rng.integers(4))](word) for word in words]
    between = [" ", "-", "_", " / ", ", ", "((", "® ", "ä"]
    return "".join(word + str(rng.choice(between)) for word in words)


def words_in_order(rng, count):
    return [WORDS[i] for i in rng.permutation(len(WORDS))[:count]]


@pytest.mark.exercise("find_accelerator", weight=2)
def test_devices_are_found(later, rng):
    """Each device of the table is found by its driver's name, in any order of the table"""
    for device, key in REPORTED.items():
        table = in_any_order(rng, hardware.load().plain())
        for order in (table, dict(reversed(table.items()))):  # each of two entries is first once
            later.roofline.find_accelerator(device, order).equals(key)


@pytest.mark.exercise("find_accelerator", weight=2)
def test_unknown_devices_are_errors(impl, later, rng):
    """A device that is not in the table is refused with a LookupError that names it"""
    for device in NOT_IN_THE_TABLE:
        table = in_any_order(rng, hardware.load().plain())
        with pytest.raises(LookupError) as error:
            impl.roofline.find_accelerator(device, table)
        expect(device in str(error.value), f"the message names {device!r}").equals(True)
        words = rng.permutation(device.replace("-", " ").split())
        known = in_any_order(rng, {**table, "new": {"names": [" ".join(words)]}})
        if device:
            later.roofline.find_accelerator(device, known).equals("new")
    with pytest.raises(LookupError) as error:
        impl.roofline.find_accelerator("NVIDIA H200", {})
    expect("NVIDIA H200" in str(error.value), "the message names the device").equals(True)


@pytest.mark.exercise("find_accelerator", weight=2)
def test_words_are_whole(later, rng):
    """A word matches only whole words, not parts of words or adjacent words"""
    for _ in range(10):
        (name, part, longer) = ("GX1", "X1", "X1S") if rng.random() < 0.5 else ("80GB", "80", "0GB")
        table = in_any_order(rng, table_of([part], [longer]))
        later.roofline.find_accelerator(f"NVIDIA {name}", table).raises(LookupError)
        later.roofline.find_accelerator(f"{name} {name}", table_of([f"{part} {name}"])).raises(
            LookupError
        )
        table = in_any_order(rng, table_of([part], [longer], [name], [f"{name} {part}"]))
        later.roofline.find_accelerator(f"A {name}", table).equals("entry 2")
        later.roofline.find_accelerator(f"{part} {name}", table).equals("entry 3")
    for pair in [("SXM 4", "SXM4"), ("SXM4", "SXM 4"), ("H 100", "H100")]:
        later.roofline.find_accelerator(pair[0], table_of([pair[1]])).raises(LookupError)


@pytest.mark.exercise("find_accelerator")
def test_words_in_any_order_and_spelling(later, rng):
    """Words match in any order, in upper or lower case, with any separators"""
    for _ in range(20):
        words = words_in_order(rng, 5)
        names = [words[i] for i in rng.permutation(5)[: int(rng.integers(1, 6))]]
        others = [word for word in WORDS if word not in words]
        others.append(disguised(rng, [*words, others[0]]))  # all of the device's words, and more
        table = in_any_order(rng, table_of([disguised(rng, names)], others))
        device = disguised(rng, words)
        later.roofline.find_accelerator(device, table).equals("entry 0")


@pytest.mark.exercise("find_accelerator", weight=2)
def test_the_most_words_win(later, rng):
    """The matching entry with the most words wins, in any order of the table"""
    for _ in range(20):
        words = words_in_order(rng, 6)
        names = [[" ".join(words[: i + 1])] for i in range(4)]
        names.append([f"{' '.join(words)} Ultra"])  # the most words, but not all of them match
        table = in_any_order(rng, table_of(*names))
        for count in range(1, 5):
            device = disguised(rng, [words[i] for i in rng.permutation(count)])
            later.roofline.find_accelerator(f"NVIDIA {device}", table).equals(f"entry {count - 1}")
    table = in_any_order(rng, table_of(["Accelerator"], ["X1 M7"]))
    later.roofline.find_accelerator("X1 M7 accelerator", table).equals("entry 1")


@pytest.mark.exercise("find_accelerator")
def test_an_entry_may_have_several_names(later, rng):
    """Any of an entry's names may match, and the matching one with the most words counts"""
    for _ in range(15):
        a, b, c, d, e = words_in_order(rng, 5)
        table = in_any_order(rng, table_of([d, f"{a} {b} {c}", b], [f"{a} {b}", e], [f"{e} {a}"]))
        find = later.roofline.find_accelerator
        find(f"NVIDIA {c} {b} {a}", table).equals("entry 0")
        find(f"NVIDIA {d}", table).equals("entry 0")
        find(f"{b} {a}", table).equals("entry 1")
        find(f"{e} {b}", table_of([a, b], [a, c], [e, f"{e} {b}"])).equals("entry 2")
        find(f"{a} {b}", table_of([a, b, f"{a} {c}"])).equals("entry 0")
        more = table_of([f"{a} {b}", f"{c} {d}"], [f"{a} {b} {c}"])  # names are not added up
        find(f"{a} {b} {c} {d}", more).equals("entry 1")


@pytest.mark.exercise("find_accelerator")
def test_ties_are_errors(impl, later, rng):
    """Two entries that match with equally many words are refused by the device's name, in any
    order"""
    for _ in range(10):
        a, b, c, d = words_in_order(rng, 4)
        device = f"NVIDIA {a} {b} {c}"
        table = in_any_order(rng, table_of([f"{a} {b}"], [f"{b} {c}"], [a], [d]))
        with pytest.raises(LookupError) as error:
            impl.roofline.find_accelerator(device, table)
        expect(device in str(error.value), f"the message names {device!r}").equals(True)
        later.roofline.find_accelerator(device, table_of([a], [c])).raises(LookupError)
        later.roofline.find_accelerator(device, table_of([a], [b], [c])).raises(LookupError)
        more = in_any_order(rng, {**table, "more": {"names": [f"{c} {a} {b}"]}})
        later.roofline.find_accelerator(device, more).equals("more")
        later.roofline.find_accelerator(f"{a} {b}", table).equals("entry 0")


@pytest.mark.exercise("find_accelerator")
def test_repeated_and_missing_words_say_nothing(later, rng):
    """A repeated word counts once; a name without words and an entry's key match nothing"""
    for _ in range(10):
        a, b, c = words_in_order(rng, 3)
        table = in_any_order(rng, table_of([f"{a} {a} {a}"], [f"{a} {b}"], ["", " - "], []))
        find = later.roofline.find_accelerator
        find(f"{b} {a}", table).equals("entry 1")
        find(f"{a} {a}", table).equals("entry 0")
        find(f"NVIDIA {c}", table).raises(LookupError)
        find("entry 2", table).raises(LookupError)
