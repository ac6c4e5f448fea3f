"""Communication, compared with simulated rings, simulated steps, and fractions.

A ring is simulated chunk by chunk. It also checks what each device holds at the end: a count that
is too low could not have done the operation. Times are a few operations in float64, so they must
agree with fractions to 1e-12.
"""

import math
from fractions import Fraction

import pytest
import torch

from assignment.expect import expect

DTYPES = [torch.float64, torch.float32, torch.bfloat16, torch.float8_e4m3fn, torch.complex128]
PACKED = [torch.quint4x2, torch.quint2x4, torch.uint4, torch.uint1]  # less than a byte
NO_DTYPES = ["bfloat16", "torch.float32", 2, None, torch.zeros(1)]
ROUNDS = ["reduce_scatter", "all_gather", "all_reduce"]
COLLECTIVES = [*ROUNDS, "broadcast"]
OTHER_NAMES = [
    *("allreduce", "All_Reduce", "reduce", "gather", "all_to_all", "all-gather", ""),
    *("all_gather_into_tensor", "reduce_scatter_tensor", "all_reduce_coalesced", "broadcasts"),
]


def width(dtype):
    return torch.empty(1, dtype=dtype, device="meta").nbytes


def two_dtypes(rng):
    """Two dtypes of different widths."""
    i, j = rng.choice(len(DTYPES), size=2, replace=False)
    return DTYPES[i], DTYPES[j]


def huge(rng):
    return int(rng.integers(2**62)) * int(rng.integers(2**62)) + 1


def pass_on(held, first, devices, add):
    """Each of n - 1 times, all devices send a chunk to the next one, which adds or replaces it.

    Returns how many chunks each of them sent.
    """
    sent = [0] * devices
    for step in range(devices - 1):
        moving = []
        for device in range(devices):
            chunk = (device + first - step) % devices
            moving.append((chunk, held[device][chunk]))
            sent[device] += 1
        for device, (chunk, parts) in enumerate(moving):
            receiver = held[(device + 1) % devices]
            receiver[chunk] = receiver[chunk] | parts if add else parts
    return sent


def ring(collective, elements, devices, dtype):
    """Bytes that each device sends; a chunk is the set of devices whose data are in it."""
    if collective == "broadcast":
        passed = [device < devices - 1 for device in range(devices)]
        return max(passed) * elements * width(dtype)
    padded = elements
    while padded % devices:
        padded += 1
    everyone, sent = set(range(devices)), [0] * devices
    held = [[{device} for _ in everyone] for device in everyone]
    if collective != "all_gather":
        sent = pass_on(held, 0, devices, add=True)
        assert all(held[d][(d + 1) % devices] == everyone for d in everyone)
    if collective != "reduce_scatter":
        held = [[everyone if c == (d + 1) % devices else None for c in everyone] for d in everyone]
        again = pass_on(held, 1, devices, add=False)
        assert all(chunk == everyone for chunks in held for chunk in chunks)
        sent = [first + second for first, second in zip(sent, again, strict=True)]
    (chunks,) = set(sent)  # all devices send as many
    return chunks * (padded // devices) * width(dtype)


# --- collective_bytes --------------------------------------------------------


def check_ring(later, rng, collective):
    """A buffer that drawn devices divide."""
    devices, (dtype, _) = int(rng.integers(2, 40)), two_dtypes(rng)
    elements = devices * int(rng.integers(1, 10**6))
    later.communication.collective_bytes(collective, elements, devices, dtype).equals(
        ring(collective, elements, devices, dtype)
    )


@pytest.mark.exercise("collective_bytes", weight=2)
@pytest.mark.parametrize("collective", ROUNDS)
def test_rings_chunk_by_chunk(later, rng, collective):
    """Each device sends the chunks that it sends on a simulated ring"""
    for devices in [2, 3, 4, 5, 7, 8, 16, *(int(n) for n in rng.integers(2, 40, size=8))]:
        elements, (dtype, _) = devices * int(rng.integers(1, 10**6)), two_dtypes(rng)
        later.communication.collective_bytes(collective, elements, devices, dtype).equals(
            ring(collective, elements, devices, dtype)
        )


@pytest.mark.exercise("collective_bytes", weight=2)
@pytest.mark.parametrize("collective", ROUNDS)
def test_chunks_are_padded(later, rng, collective):
    """If the devices do not divide the elements, all chunks are rounded up to whole elements"""
    for devices in (2, 3, 7, 8, 33, int(rng.integers(3, 40))):
        full = devices * int(rng.integers(1, 10**6))
        for elements in (1, devices - 1, devices + 1, full - 1, full + 1, full + devices // 2):
            dtype, _ = two_dtypes(rng)
            later.communication.collective_bytes(collective, elements, devices, dtype).equals(
                ring(collective, elements, devices, dtype)
            )


@pytest.mark.exercise("collective_bytes")
def test_broadcast_is_whole(later, rng):
    """A broadcast passes the whole buffer on, without padding, from each device but the last"""
    for devices in (2, 3, 8, int(rng.integers(9, 1000))):
        for elements in (1, devices + 1, devices * int(rng.integers(2, 10**6)) - 1):
            dtype, _ = two_dtypes(rng)
            later.communication.collective_bytes("broadcast", elements, devices, dtype).equals(
                ring("broadcast", elements, devices, dtype)
            )
    for collective in ROUNDS:  # which are not
        check_ring(later, rng, collective)


@pytest.mark.exercise("collective_bytes")
def test_nothing_to_send(impl, rng):
    """One device sends nothing, and neither does any number of devices that hold nothing"""
    for collective in COLLECTIVES:
        dtype, _ = two_dtypes(rng)
        send = impl.communication.collective_bytes
        for elements in (0, 1, int(rng.integers(2, 10**6))):
            expect(send(collective, elements, 1, dtype), f"{collective} on 1 device").equals(0)
        devices = int(rng.integers(3, 30))
        expect(send(collective, 0, devices, dtype), f"{collective} of nothing").equals(0)
        expect(send(collective, 1, devices, dtype), f"{collective} of 1 element").equals(
            ring(collective, 1, devices, dtype)
        )


@pytest.mark.exercise("collective_bytes")
def test_huge_buffers_are_exact(later, rng):
    """Bytes beyond 64 bits are exact integers, on any number of devices"""
    for collective in COLLECTIVES:
        for devices in (2, 3, int(rng.integers(4, 40))):
            elements, (dtype, _) = huge(rng), two_dtypes(rng)
            later.communication.collective_bytes(collective, elements, devices, dtype).equals(
                ring(collective, elements, devices, dtype)
            )
    devices = huge(rng)  # one element on each
    later.communication.collective_bytes("all_gather", devices, devices, torch.int8).equals(
        devices - 1, "all_gather on many devices"
    )


@pytest.mark.exercise("collective_bytes")
def test_refuses_other_collectives(later, rng):
    """A collective of another name is refused, even on one device"""
    for name in OTHER_NAMES:
        for elements, devices in ((int(rng.integers(1, 99)), 4), (0, 1)):
            later.communication.collective_bytes(name, elements, devices, torch.float32).raises(
                ValueError
            )
    for collective in COLLECTIVES:
        check_ring(later, rng, collective)


@pytest.mark.exercise("collective_bytes")
def test_refuses_buffers_and_rings_that_cannot_be(impl, later, rng):
    """Negative elements, fewer devices than one, and what is no dtype of whole bytes are refused"""
    n = int(rng.integers(1, 99))
    for collective in COLLECTIVES:
        send = impl.communication.collective_bytes
        for elements, devices in [(-1, 2), (-n, 1), (n, 0), (0, 0), (n, -1), (0, -n), (-n, -2)]:
            with pytest.raises(ValueError):
                send(collective, elements, devices, torch.float32)
        for elements, devices in ((n, 2), (n, 1), (0, 2)):
            for error, others in [(ValueError, PACKED), (TypeError, NO_DTYPES)]:
                for other in others:
                    with pytest.raises(error):
                        send(collective, elements, devices, other)
        check_ring(later, rng, collective)


# --- zero_traffic ------------------------------------------------------------


def a_step(parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches):
    """What each device sends in a simulated step, by what is sent."""
    sent = {"gradients": 0, "parameters": 0}

    def send(what, collective):
        dtype = parameter_dtype if what == "parameters" else gradient_dtype
        sent[what] += ring(collective, parameters, devices, dtype)

    for _ in range(micro_batches):
        for _ in ("forward", "backward"):
            if stage == 3:  # a device holds its shard alone, and drops what it gathered
                send("parameters", "all_gather")
        if stage >= 2:
            send("gradients", "reduce_scatter")
    if stage == 0:
        send("gradients", "all_reduce")
    if stage == 1:
        send("gradients", "reduce_scatter")
    if stage in (1, 2):  # each device has updated its shard
        send("parameters", "all_gather")
    return {**sent, "total": sent["gradients"] + sent["parameters"]}


def check_even_step(later, rng, stage, micro_batches=1):
    """A step in which drawn devices have equal shares."""
    devices, dtypes = int(rng.integers(2, 30)), two_dtypes(rng)
    parameters = devices * int(rng.integers(1, 10**6))
    later.communication.zero_traffic(parameters, devices, stage, *dtypes, micro_batches).equals(
        a_step(parameters, devices, stage, *dtypes, micro_batches)
    )


@pytest.mark.exercise("zero_traffic", weight=3)
@pytest.mark.parametrize("stage", range(4))
def test_a_stage_sends_what_it_shards(later, rng, stage):
    """At each stage, gradients and parameters are sent as in a simulated step"""
    for _ in range(12):
        check_even_step(later, rng, stage)


@pytest.mark.exercise("zero_traffic", weight=2)
@pytest.mark.parametrize("stage", range(4))
def test_micro_batches(later, rng, stage):
    """Micro-batches add up their gradients before they are sent, where a device holds them all"""
    for micro_batches in [1, 2, 3, *(int(n) for n in rng.integers(4, 20, size=5))]:
        check_even_step(later, rng, stage, micro_batches)


@pytest.mark.exercise("zero_traffic")
def test_the_whole_batch_at_once_is_the_default(impl, rng):
    """Without the argument there is one micro-batch, and arguments may be named"""
    for stage in range(4):
        devices, (kept, summed) = int(rng.integers(2, 10)), two_dtypes(rng)
        parameters = int(rng.integers(1, 10**6))
        expected = a_step(parameters, devices, stage, kept, summed, 1)
        traffic = impl.communication.zero_traffic
        expect(traffic(parameters, devices, stage, kept, summed)).equals(expected)
        named = {"gradient_dtype": summed, "parameter_dtype": kept, "stage": stage}
        expect(traffic(parameters=parameters, devices=devices, **named)).equals(expected)


@pytest.mark.exercise("zero_traffic")
def test_shards_are_padded(later, rng):
    """If the devices do not divide the parameters, every shard is rounded up"""
    for stage in range(4):
        for devices in (2, 3, 8, int(rng.integers(9, 40))):
            for parameters in (1, devices - 1, devices + 1, devices * int(rng.integers(2, 99)) + 1):
                dtypes, micro_batches = two_dtypes(rng), int(rng.integers(1, 5))
                later.communication.zero_traffic(
                    parameters, devices, stage, *dtypes, micro_batches
                ).equals(a_step(parameters, devices, stage, *dtypes, micro_batches))


@pytest.mark.exercise("zero_traffic")
def test_no_traffic(impl, later, rng):
    """A device alone sends nothing, and neither do devices that share no parameters"""
    nothing = {"gradients": 0, "parameters": 0, "total": 0}
    for stage in range(4):
        n, dtypes = int(rng.integers(2, 99)), two_dtypes(rng)
        traffic = impl.communication.zero_traffic
        expect(traffic(n, 1, stage, *dtypes, 3), "on one device").equals(nothing)
        expect(traffic(0, n, stage, *dtypes, 3), "without parameters").equals(nothing)
        check_even_step(later, rng, stage, 3)


@pytest.mark.exercise("zero_traffic")
def test_huge_models_are_exact(later, rng):
    """Traffic beyond 64 bits is exact, part by part"""
    for stage in range(4):
        devices, dtypes, parameters = int(rng.integers(2, 30)), two_dtypes(rng), huge(rng)
        micro_batches = int(rng.integers(2, 9))
        later.communication.zero_traffic(parameters, devices, stage, *dtypes, micro_batches).equals(
            a_step(parameters, devices, stage, *dtypes, micro_batches)
        )


@pytest.mark.exercise("zero_traffic")
def test_refuses_steps_that_cannot_be(impl, later, rng):
    """Other stages, no micro-batches, no devices, and negative parameters are refused"""
    n = int(rng.integers(2, 99))
    traffic, pair = impl.communication.zero_traffic, (torch.float32, torch.bfloat16)
    for parameters, devices in ((n, 2), (0, 2), (n, 1)):
        for stage in (-1, -4, 4, n + 4, 0.5, 2.5, math.nan, "2", None):
            with pytest.raises(ValueError):
                traffic(parameters, devices, stage, *pair)
        for stage in range(4):
            for micro_batches in (0, -1, -n):
                with pytest.raises(ValueError):
                    traffic(parameters, devices, stage, *pair, micro_batches)
    for stage in range(4):
        for parameters, devices in [(-1, 2), (-n, 1), (n, 0), (0, 0), (n, -1), (-n, -n)]:
            with pytest.raises(ValueError):
                traffic(parameters, devices, stage, *pair, 2)
        check_even_step(later, rng, stage, 2)


@pytest.mark.exercise("zero_traffic")
def test_refuses_dtypes_without_bytes(impl, later, rng):
    """Both dtypes are torch.dtypes of whole bytes, even if one of them is not sent"""
    n = int(rng.integers(2, 99))
    traffic, good = impl.communication.zero_traffic, torch.bfloat16
    for stage in range(4):
        for error, others in [(ValueError, PACKED), (TypeError, NO_DTYPES)]:
            for other in others:
                for pair in ((other, good), (good, other)):
                    for parameters, devices in ((n, 2), (0, 2), (n, 1)):
                        with pytest.raises(error):
                            traffic(parameters, devices, stage, *pair)
        check_even_step(later, rng, stage, 2)


def through_layers(tokens, features, layers, devices, dtype):
    """What each device sends under tensor parallelism, product by product."""
    sent = 0
    for _ in ("forward", "backward"):
        for _ in range(layers):
            for _ in ("attention", "feed-forward"):
                sent += ring("all_reduce", tokens * features, devices, dtype)
    return sent


def check_layers(later, rng):
    """Layers of which drawn devices have equal shares."""
    tokens, features = (int(n) for n in rng.integers(1, 5000, size=2))
    layers, devices = (int(n) for n in rng.integers(2, 16, size=2))
    sizes = tokens * devices, features, layers, devices, two_dtypes(rng)[0]
    later.communication.tensor_parallel_traffic(*sizes).equals(through_layers(*sizes))


@pytest.mark.exercise("zero_traffic", weight=2)
def test_tensor_parallel_layers(later, rng):
    """Under tensor parallelism, each layer takes two all-reduces forward and two backward, of
    tokens × width activations, and nothing else is sent"""
    for _ in range(20):
        check_layers(later, rng)


@pytest.mark.exercise("zero_traffic")
def test_tensor_parallel_at_its_ends(impl, rng):
    """Activations are padded to whole chunks, exactly; no tokens, layers or neighbours take no
    bytes"""
    for _ in range(5):
        layers, devices, dtype = (
            int(rng.integers(1, 9)),
            int(rng.integers(3, 20)),
            two_dtypes(rng)[0],
        )
        traffic, n = impl.communication.tensor_parallel_traffic, int(rng.integers(2, 9))
        for tokens, features in (
            (1, 1),
            (1, devices + 1),
            (devices - 1, 1),
            (huge(rng), huge(rng)),
            (2**28 + n, 2**27 * n + 1),
        ):
            found = traffic(tokens, features, layers, devices, dtype)
            expect(found, f"{layers} layers of {tokens}×{features} on {devices} devices").equals(
                through_layers(tokens, features, layers, devices, dtype)
            )
        for sizes in ((0, 5, 5, 5), (5, 0, 5, 5), (5, 5, 0, 5), (5, 5, 5, 1)):
            expect(traffic(*sizes, dtype)).equals(0)


@pytest.mark.exercise("zero_traffic")
def test_refuses_layers_that_cannot_be(impl, later, rng):
    """Negative sizes, no devices, and what is no dtype of whole bytes are refused"""
    n = int(rng.integers(2, 99))
    traffic, dtype = impl.communication.tensor_parallel_traffic, torch.bfloat16
    for bad in [
        *((-1, n, n, 2), (n, -n, n, 2), (n, n, -1, 2), (n, n, n, 0), (n, n, n, -1)),
        *((-n, -n, n, 2), (-1, n, -1, 2), (n, -1, -n, 2), (n, n, -n, -1), (-1, 0, n, 2)),
        *((0, -1, n, 2), (0, 0, -1, 2), (-1, n, 0, 2), (n, n, 0, 0), (0, n, n, -1), (n, n, -1, 1)),
        *((n, -1, 0, 2), (n, 0, -1, 2), (-1, n, n, 1), (n, -1, n, 1), (n, 0, n, 0)),
    ]:
        with pytest.raises(ValueError):
            traffic(*bad, dtype)
    for sizes in ((n, n, n, 2), (0, n, n, 2), (n, 0, n, 2), (n, n, 0, 2), (n, n, n, 1)):
        for error, others in [(ValueError, PACKED), (TypeError, NO_DTYPES)]:
            for other in others:
                with pytest.raises(error):
                    traffic(*sizes, other)
    check_layers(later, rng)


# --- hidden_communication ----------------------------------------------------


def random_device(rng):
    return float(rng.uniform(1e13, 5e15)), float(rng.uniform(1e9, 1e12))


def both_times(tokens, parameters, sent, peak, bandwidth):
    """Exact seconds of compute and of communication."""
    flops = (2 + 4) * parameters * tokens  # forward and backward
    return Fraction(flops) / Fraction(peak), Fraction(sent) / Fraction(bandwidth)


def check_times(impl, *step):
    compute, wire = both_times(*step)
    both = {"overlapped": max(compute, wire), "sequential": compute + wire}
    expected = {"compute": compute, "communication": wire, **both}
    expect(impl.communication.step_seconds(*step), f"times of {step}").close(
        {name: float(seconds) for name, seconds in expected.items()}, rtol=1e-12
    )


@pytest.mark.exercise("hidden_communication", weight=2)
def test_times_of_a_step(impl, rng):
    """Compute takes 6 FLOPs per parameter and token, communication the bytes over the bandwidth;
    sequential is the sum, overlapped the longer"""
    for i in range(30):
        peak, bandwidth = random_device(rng)
        parameters, tokens = int(rng.integers(1, 10**12)), int(rng.integers(1, 10**7))
        if i % 5 == 0:  # in units in which both are less than 1
            peak, bandwidth = peak / 1e16, bandwidth / 1e13
        balance = 6 * parameters * tokens / peak * bandwidth
        sent = int(balance * float(2 ** rng.uniform(0.1, 6)) ** (-1) ** i) + 1
        check_times(impl, tokens, parameters, sent, peak, bandwidth)


@pytest.mark.exercise("hidden_communication")
def test_times_of_steps_without_work_or_traffic(impl, rng):
    """Without tokens, parameters or bytes a step takes no time for them"""
    for _ in range(5):
        peak, bandwidth = random_device(rng)
        tokens, parameters, sent = (int(n) for n in rng.integers(1, 10**9, size=3))
        for counts in (
            *((0, parameters, sent), (tokens, 0, sent), (tokens, parameters, 0)),
            *((0, 0, 0), (huge(rng), huge(rng), huge(rng))),
        ):
            check_times(impl, *counts, peak, bandwidth)


def is_hidden(tokens, parameters, sent, peak, bandwidth):
    compute, wire = both_times(tokens, parameters, sent, peak, bandwidth)
    return compute >= wire


@pytest.mark.exercise("hidden_communication", weight=2)
def test_the_fewest_tokens_that_hide(impl, rng):
    """With this number of tokens compute takes long enough, with one less it does not"""
    for i in range(40):
        peak, bandwidth = random_device(rng)
        parameters = int(rng.integers(1, 10**12))
        sent = int(parameters * float(2 ** rng.uniform(-2, 6))) + 1
        if i % 5 == 0:  # in units in which both are less than 1
            peak, bandwidth = peak / 1e16, bandwidth / 1e13
        n = impl.communication.hiding_tokens(parameters, sent, peak, bandwidth)
        what = f"{n} tokens: {parameters} parameters, {sent} B, {peak} FLOP/s, {bandwidth} B/s"
        expect(n, "the number of tokens").is_a(int)
        enough = [is_hidden(count, parameters, sent, peak, bandwidth) for count in (n, n - 1)]
        expect(enough, f"whether {what}, and one less, are enough").equals([True, False])


def exact_balance(rng):
    """A number of tokens, and whole numbers for which both times are exactly equal there."""
    tokens, parameters, k = (int(n) for n in rng.integers(2, 10**5, size=3))
    peak = 6 * parameters * int(rng.integers(10**3, 10**6))
    bandwidth = peak // (6 * parameters) * k
    return tokens, parameters, tokens * k, peak, bandwidth


FORMULAS = [  # in floats, each rounds several times
    lambda n, sent, peak, bandwidth: math.ceil(sent / bandwidth * peak / (6 * n)),
    lambda n, sent, peak, bandwidth: math.ceil(sent / bandwidth / (6 * n / peak)),
    lambda n, sent, peak, bandwidth: math.ceil(peak / bandwidth * sent / (6 * n)),
    lambda n, sent, peak, bandwidth: math.ceil(peak / bandwidth * (sent / (6 * n))),
    lambda n, sent, peak, bandwidth: math.ceil(sent / (6 * n) * peak / bandwidth),
]


@pytest.mark.exercise("hidden_communication", weight=2)
def test_equal_times_at_a_whole_number(impl, rng):
    """If both times are equal at a whole number, that is the answer, exactly; a byte more needs
    one token more"""
    cases = [exact_balance(rng) for _ in range(30)]
    for formula in FORMULAS * 2:
        while formula(*(case := exact_balance(rng))[1:]) == case[0]:
            pass
        cases.append(case)
    for tokens, parameters, sent, peak, bandwidth in cases:
        what = f"tokens for {parameters} parameters, {sent} B, {peak} FLOP/s, {bandwidth} B/s"
        hiding = impl.communication.hiding_tokens
        expect(hiding(parameters, sent, peak, bandwidth), what).equals(tokens)
        expect(hiding(parameters, sent + 1, peak, bandwidth), f"a byte more: {what}").equals(
            tokens + 1
        )
        expect(hiding(parameters, sent, float(peak), float(bandwidth)), what).equals(tokens)


def in_decimals(n, sent, peak, bandwidth):
    """The exact answer, if the floats were the decimals that they are printed with."""
    return math.ceil(Fraction(str(peak)) / Fraction(str(bandwidth)) * sent / (6 * n))


@pytest.mark.exercise("hidden_communication")
def test_floats_as_they_are(impl, rng):
    """The floats' own values count, exactly, where floats or decimals round to the wrong side"""
    for formula in [*FORMULAS, in_decimals] * 2:
        exact = found = 0
        while exact == found:
            parameters, bandwidth = int(rng.integers(1, 10**12)), float(rng.uniform(1e9, 1e12))
            sent = int(rng.integers(1, 10**13))
            peak = int(rng.integers(2, 5000)) * 6 * parameters * bandwidth / sent
            exact = math.ceil(Fraction(peak) / Fraction(bandwidth) * sent / (6 * parameters))
            found = formula(parameters, sent, peak, bandwidth)
        for unit in (1, 2.0**-50):  # in the other one, both are less than 1
            device = peak * unit, bandwidth * unit
            what = (
                f"tokens for {parameters} parameters, {sent} B, {device[0]} FLOP/s, {device[1]} B/s"
            )
            hiding = impl.communication.hiding_tokens
            expect(hiding(parameters, sent, *device), what).equals(exact)


@pytest.mark.exercise("hidden_communication")
def test_tokens_that_hide_little_or_much(impl, rng):
    """Without traffic no tokens are needed; little and huge traffic take an exact number"""
    for _ in range(10):
        peak, bandwidth = random_device(rng)
        parameters = int(rng.integers(10**8, 10**12))
        hiding = impl.communication.hiding_tokens
        expect(hiding(parameters, 0, peak, bandwidth), "without traffic").equals(0)
        expect(hiding(parameters, 1, peak, bandwidth), "with one byte").equals(1)
        few = int(rng.integers(2, 10**5))
        expect(hiding(1, 7, 6e9 * few, 1e9), "with one parameter").equals(7 * few)
        sent = huge(rng)
        exact = math.ceil(Fraction(peak) / Fraction(bandwidth) * sent / (6 * parameters))
        expect(hiding(parameters, sent, peak, bandwidth), f"with {sent} bytes").equals(exact)
        tokens, few, sent, peak, bandwidth = exact_balance(rng)
        large = huge(rng)
        expect(hiding(few * large, sent * large, peak, bandwidth), "both large").equals(tokens)


@pytest.mark.exercise("hidden_communication")
def test_refuses_steps_and_devices_that_cannot_be(impl, later, rng):
    """Negative counts, no parameters to compute with, no peak, no bandwidth, and nan are refused"""
    tokens, parameters, sent, peak, bandwidth = exact_balance(rng)
    peak, bandwidth = float(peak), float(bandwidth)
    good, n = (tokens, parameters, sent, peak, bandwidth), int(rng.integers(2, 99))
    bad = [(i, value) for i in range(3) for value in (-1, -n)]
    bad += [(i, value) for i in (3, 4) for value in (0.0, -1.0, -good[i], math.nan)]
    for i, value in bad:
        for base in (good, (0, parameters, 0, peak, bandwidth)):
            changed = (*base[:i], value, *base[i + 1 :])
            later.communication.step_seconds(*changed).raises(ValueError)
            if i > 0:
                later.communication.hiding_tokens(*changed[1:]).raises(ValueError)
    for i, j in ((0, 1), (1, 2), (2, 4), (3, 4)):  # two signs that a product or quotient would hide
        changed = [-value if k in (i, j) else value for k, value in enumerate(good)]
        later.communication.step_seconds(*changed).raises(ValueError)
        if i > 0:
            later.communication.hiding_tokens(*changed[1:]).raises(ValueError)
    for traffic in (sent, 0):
        later.communication.hiding_tokens(0, traffic, peak, bandwidth).raises(ValueError)
    later.communication.hiding_tokens(*good[1:]).equals(tokens)
    check_times(impl, *good)
    check_times(impl, n * tokens, *good[1:])
