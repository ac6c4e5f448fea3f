"""Communication, compared with simulated rings, simulated steps, and fractions.

A ring is simulated chunk by chunk. It also checks what each device holds at the end: a count that
is too low could not have done the operation. Times are a few operations in float64, so they must
agree with fractions to 1e-12.
"""

from fractions import Fraction

import numpy as np
import pytest
import torch

from assignment.expect import expect

DTYPES = [torch.float64, torch.float32, torch.bfloat16, torch.float8_e4m3fn, torch.complex128]
ROUNDS = ["reduce_scatter", "all_gather", "all_reduce"]
COLLECTIVES = [*ROUNDS, "broadcast"]


def width(dtype):
    return torch.empty(1, dtype=dtype, device="meta").nbytes


def two_dtypes(rng):
    """Two dtypes of different widths."""
    i, j = rng.choice(len(DTYPES), size=2, replace=False)
    return DTYPES[i], DTYPES[j]


def a_dtype(rng):
    return DTYPES[int(rng.integers(len(DTYPES)))]


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


def check_collective(later, collective, elements, devices, dtype):
    """Compares with a simulated ring."""
    later.communication.collective_bytes(collective, elements, devices, dtype).equals(
        ring(collective, elements, devices, dtype)
    )


@pytest.mark.exercise("collective_bytes", weight=2)
@pytest.mark.parametrize("collective", ROUNDS)
def test_rings_chunk_by_chunk(later, rng, collective):
    """In {case}, each device sends as many bytes as on a simulated ring"""
    for devices in [2, 3, 4, 5, 7, 8, 16, *rng.integers(2, 40, size=8).tolist()]:
        elements = devices * int(rng.integers(1, 10**6))
        check_collective(later, collective, elements, devices, a_dtype(rng))


@pytest.mark.exercise("collective_bytes", weight=2)
@pytest.mark.parametrize("collective", ROUNDS)
def test_chunks_are_padded(later, rng, collective):
    """If the devices do not divide the elements, {case} rounds all chunks up to whole elements"""
    for devices in (2, 3, 7, 8, 33, int(rng.integers(3, 40))):
        full = devices * int(rng.integers(1, 10**6))
        for elements in (1, devices - 1, devices + 1, full - 1, full + 1, full + devices // 2):
            check_collective(later, collective, elements, devices, a_dtype(rng))


@pytest.mark.exercise("collective_bytes")
def test_broadcast_is_whole(later, rng):
    """A broadcast passes the whole buffer on, without padding, from each device but the last"""
    for devices in (2, 3, 8, int(rng.integers(9, 1000))):
        for elements in (1, devices + 1, devices * int(rng.integers(2, 10**6)) - 1):
            check_collective(later, "broadcast", elements, devices, a_dtype(rng))
    for collective in ROUNDS:  # which are not
        devices = int(rng.integers(2, 40))
        elements = devices * int(rng.integers(1, 10**6))
        check_collective(later, collective, elements, devices, a_dtype(rng))


@pytest.mark.exercise("collective_bytes")
def test_nothing_to_send(later, rng):
    """One device sends nothing, and neither does any number of devices that hold nothing"""
    for collective in COLLECTIVES:
        several = int(rng.integers(3, 30))
        for elements, devices in ((0, 1), (int(rng.integers(1, 10**6)), 1), (0, several)):
            later.communication.collective_bytes(
                collective, elements, devices, a_dtype(rng)
            ).equals(0)
        check_collective(later, collective, 1, several, a_dtype(rng))


@pytest.mark.exercise("collective_bytes")
def test_huge_buffers_are_exact(later, rng):
    """Bytes beyond 64 bits are exact integers, on any number of devices"""
    for collective in COLLECTIVES:
        for devices in (2, 3, int(rng.integers(4, 40))):
            check_collective(later, collective, huge(rng), devices, a_dtype(rng))
    devices = huge(rng)  # one element on each
    later.communication.collective_bytes("all_gather", devices, devices, torch.int8).equals(
        devices - 1, "all_gather on many devices"
    )


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
    return sent


def check_step(later, rng, parameters, devices, stage, micro_batches, with_total=False):
    """Compares with a simulated step, in drawn dtypes."""
    step = parameters, devices, stage, *two_dtypes(rng), micro_batches
    sent, asked = a_step(*step), later.communication.zero_traffic(*step)
    if with_total:
        asked.equals({**sent, "total": sum(sent.values())})
    else:  # what the total is, is for another test to say
        asked.has(sent)


def check_even_step(later, rng, stage, micro_batches=1, with_total=False):
    """A step in which drawn devices have equal shares."""
    devices = int(rng.integers(2, 30))
    parameters = devices * int(rng.integers(1, 10**6))
    check_step(later, rng, parameters, devices, stage, micro_batches, with_total)


@pytest.mark.exercise("zero_traffic", weight=3)
@pytest.mark.parametrize("stage", range(4), ids="stage {}".format)
def test_a_stage_sends_what_it_shards(later, rng, stage):
    """At {case}, gradients, parameters and their total are sent as in a simulated step"""
    for _ in range(12):
        check_even_step(later, rng, stage, with_total=True)


@pytest.mark.exercise("zero_traffic", weight=2)
@pytest.mark.parametrize("stage", range(4), ids="stage {}".format)
def test_micro_batches(later, rng, stage):
    """At {case}, sharded gradients are sent for each micro-batch, others once, added up"""
    for micro_batches in [1, 2, 3, *(int(n) for n in rng.integers(4, 20, size=5))]:
        check_even_step(later, rng, stage, micro_batches)


@pytest.mark.exercise("zero_traffic")
def test_the_whole_batch_at_once_is_the_default(later, rng):
    """Without the argument there is one micro-batch, and arguments may be named"""
    for stage in range(4):
        devices, (kept, summed) = int(rng.integers(2, 10)), two_dtypes(rng)
        parameters = int(rng.integers(1, 10**6))
        expected = a_step(parameters, devices, stage, kept, summed, 1)
        later.communication.zero_traffic(parameters, devices, stage, kept, summed).has(expected)
        named = {"gradient_dtype": summed, "parameter_dtype": kept, "stage": stage}
        named |= {"parameters": parameters, "devices": devices}
        later.communication.zero_traffic(**named).has(expected)


@pytest.mark.exercise("zero_traffic")
def test_shards_are_padded(later, rng):
    """If the devices do not divide the parameters, every shard is rounded up"""
    for stage in range(4):
        for devices in (2, 3, 8, int(rng.integers(9, 40))):
            for parameters in (1, devices - 1, devices + 1, devices * int(rng.integers(2, 99)) + 1):
                check_step(later, rng, parameters, devices, stage, int(rng.integers(1, 5)))


@pytest.mark.exercise("zero_traffic")
def test_no_traffic(later, rng):
    """A device alone sends nothing, and neither do devices that share no parameters"""
    nothing = {"gradients": 0, "parameters": 0}
    for stage in range(4):
        n = int(rng.integers(2, 99))
        for parameters, devices in ((n, 1), (0, n)):
            step = parameters, devices, stage, *two_dtypes(rng), 3
            later.communication.zero_traffic(*step).has(nothing)
        check_even_step(later, rng, stage, 3)


@pytest.mark.exercise("zero_traffic")
def test_huge_models_are_exact(later, rng):
    """Traffic beyond 64 bits is exact, part by part"""
    for stage in range(4):
        devices, micro_batches = int(rng.integers(2, 30)), int(rng.integers(2, 9))
        check_step(later, rng, huge(rng), devices, stage, micro_batches)


def check_layers(later, tokens, features, layers, devices, dtype):
    """Compares with what each device sends under tensor parallelism, product by product."""
    sent = 0
    for _ in ("forward", "backward"):
        for _ in range(layers):
            for _ in ("attention", "feed-forward"):
                sent += ring("all_reduce", tokens * features, devices, dtype)
    sizes = tokens, features, layers, devices
    later.communication.tensor_parallel_traffic(*sizes, dtype).equals(sent)


@pytest.mark.exercise("zero_traffic", weight=2)
def test_tensor_parallel_layers(later, rng):
    """Under tensor parallelism, each layer takes two all-reduces forward and two backward, of
    tokens × width activations, and nothing else is sent"""
    for _ in range(20):
        tokens, features = rng.integers(1, 5000, size=2).tolist()
        layers, devices = rng.integers(2, 16, size=2).tolist()
        check_layers(later, tokens * devices, features, layers, devices, a_dtype(rng))


@pytest.mark.exercise("zero_traffic")
def test_tensor_parallel_at_its_ends(later, rng):
    """Activations are padded to whole chunks, exactly; no tokens, layers or neighbours take no
    bytes"""
    for _ in range(5):
        layers, devices, dtype = int(rng.integers(1, 9)), int(rng.integers(3, 20)), a_dtype(rng)
        n = int(rng.integers(2, 9))
        for tokens, features in (
            *((1, 1), (1, devices + 1), (devices - 1, 1)),
            *((huge(rng), huge(rng)), (2**28 + n, 2**27 * n + 1)),
        ):
            check_layers(later, tokens, features, layers, devices, dtype)
        for sizes in ((0, 5, 5, 5), (5, 0, 5, 5), (5, 5, 0, 5), (5, 5, 5, 1)):
            later.communication.tensor_parallel_traffic(*sizes, dtype).equals(0)


# --- hidden_communication ----------------------------------------------------


def random_device(rng):
    return float(rng.uniform(1e13, 5e15)), float(rng.uniform(1e9, 1e12))


def both_times(tokens, parameters, sent, peak, bandwidth):
    """Exact seconds of compute and of communication."""
    flops = (2 + 4) * parameters * tokens  # forward and backward
    return Fraction(flops) / Fraction(peak), Fraction(sent) / Fraction(bandwidth)


def check_times(later, *step):
    compute, wire = both_times(*step)
    both = {"overlapped": max(compute, wire), "sequential": compute + wire}
    expected = {"compute": compute, "communication": wire, **both}
    later.communication.step_seconds(*step).close(
        {name: float(seconds) for name, seconds in expected.items()}, rtol=1e-12
    )


@pytest.mark.exercise("hidden_communication", weight=2)
def test_times_of_a_step(later, rng):
    """Compute takes 6 FLOPs per parameter and token, communication the bytes over the bandwidth;
    sequential is the sum, overlapped the longer"""
    for i in range(30):
        peak, bandwidth = random_device(rng)
        parameters, tokens = int(rng.integers(1, 10**12)), int(rng.integers(1, 10**7))
        if i % 5 == 0:  # in units in which both are less than 1
            peak, bandwidth = peak / 1e16, bandwidth / 1e13
        balance = 6 * parameters * tokens / peak * bandwidth
        sent = int(balance * float(2 ** rng.uniform(0.1, 6)) ** (-1) ** i) + 1
        check_times(later, tokens, parameters, sent, peak, bandwidth)


@pytest.mark.exercise("hidden_communication")
def test_times_of_steps_without_work_or_traffic(later, rng):
    """Without tokens, parameters or bytes a step takes no time for them"""
    for _ in range(5):
        peak, bandwidth = random_device(rng)
        tokens, parameters, sent = (int(n) for n in rng.integers(1, 10**9, size=3))
        without = (0, parameters, sent), (tokens, 0, sent), (tokens, parameters, 0), (0, 0, 0)
        for counts in (*without, [huge(rng) for _ in range(3)]):
            check_times(later, *counts, peak, bandwidth)


def between_tokens(rng, most=10**5):
    """A number of tokens, and a step that needs a little fewer, and more than one fewer.

    It is far enough from both for any order of operations in floats.
    """
    tokens, parameters = int(rng.integers(1, most)), int(rng.integers(1, 10**12))
    sent = int(parameters * float(2 ** rng.uniform(-2, 6))) + 1
    bandwidth = float(rng.uniform(1e9, 1e12))
    peak = (tokens - float(rng.uniform(0.01, 0.99))) * 6 * parameters * bandwidth / sent
    return tokens, parameters, sent, peak, bandwidth


@pytest.mark.exercise("hidden_communication", weight=2)
def test_the_fewest_tokens_that_hide(impl, rng):
    """With this number of tokens compute takes long enough, with one less it does not"""
    for i in range(40):
        _, parameters, sent, peak, bandwidth = between_tokens(rng, 10 ** (i // 8 + 1))
        if i % 5 == 0:  # in units in which both are less than 1
            peak, bandwidth = peak / 1e20, bandwidth / 1e20
        n = impl.communication.hiding_tokens(parameters, sent, peak, bandwidth)
        what = f"{n} tokens: {parameters} parameters, {sent} B, {peak} FLOP/s, {bandwidth} B/s"
        expect(n, "the number of tokens").is_a(int)
        times = [both_times(count, parameters, sent, peak, bandwidth) for count in (n, n - 1)]
        enough = [compute >= wire for compute, wire in times]
        expect(enough, f"whether {what}, and one less, are enough").equals([True, False])


@pytest.mark.exercise("hidden_communication")
def test_tokens_that_hide_little_or_much(later, rng):
    """No traffic needs no tokens, a byte one token, and huge traffic the fewest that hide it"""
    for _ in range(10):
        peak, bandwidth = random_device(rng)
        parameters = int(rng.integers(10**8, 10**12))
        later.communication.hiding_tokens(parameters, 0, peak, bandwidth).equals(0)
        later.communication.hiding_tokens(parameters, 1, peak, bandwidth).equals(1)
        tokens, few, sent, peak, bandwidth = between_tokens(rng)
        large = huge(rng)
        for step in ((few, sent * large, peak / large), (few * large, sent * large, peak)):
            later.communication.hiding_tokens(*step, bandwidth).equals(tokens)


# --- device_mesh -------------------------------------------------------------


def hand_out(count, receivers):
    """How many each of them gets, if they are given one after the other."""
    whole, rest = divmod(count, receivers)
    return [whole + (receiver < rest) for receiver in range(receivers)]


def a_step_on_a_mesh(tokens, parameters, layers, features, data, tensor, dtype):
    """What each device sends to its column and to its row, ring by ring."""
    share = max(hand_out(parameters, tensor))  # shorter shares are padded
    (of_row,) = set(hand_out(tokens, data))
    whole = a_step(share, data, 3, dtype, dtype, 1)
    reduced = sum(
        ring("all_reduce", of_row * features, tensor, dtype)
        for _ in range(layers)
        for _ in ("attention", "feed-forward", "feed-forward backward", "attention backward")
    )
    return {"data": whole["parameters"] + whole["gradients"], "tensor": reduced}


def a_mesh(rng):
    """More than one row and more than one column, never as many."""
    return (int(n) for n in rng.permutation(np.arange(2, 12))[:2])


@pytest.mark.exercise("device_mesh", weight=2)
def test_columns_shard_their_parameters(later, rng):
    """Along a column travel the gathers and the reduction of ZeRO stage 3, of the column's share
    of the parameters alone"""
    for _ in range(20):
        data, tensor = a_mesh(rng)
        parameters = data * tensor * int(rng.integers(1, 10**6))
        mesh = data * tensor, parameters, 2, 8, data, tensor, a_dtype(rng)
        later.communication.mesh_traffic(*mesh).has({"data": a_step_on_a_mesh(*mesh)["data"]})


@pytest.mark.exercise("device_mesh", weight=2)
def test_rows_reduce_their_tokens(later, rng):
    """Along a row travel the activations of the row's own tokens"""
    for _ in range(20):
        data, tensor = a_mesh(rng)
        tokens = data * tensor * int(rng.integers(1, 10**4))
        layers, features = (int(n) for n in rng.integers(1, 12, size=2))
        mesh = tokens, data * tensor, layers, features, data, tensor, a_dtype(rng)
        later.communication.mesh_traffic(*mesh).has({"tensor": a_step_on_a_mesh(*mesh)["tensor"]})


@pytest.mark.exercise("device_mesh")
def test_shares_are_padded_and_exact(later, rng):
    """Shares of parameters are rounded up, and so are chunks of both axes; all counts are exact"""
    for i in range(20):
        data, tensor = a_mesh(rng)
        tokens, parameters = int(rng.integers(1, 40)), int(rng.integers(1, 400))
        if i % 4 == 0:  # one parameter more than chunks for all
            parameters = data * tensor * parameters + 1
        if i % 4 == 1:
            tokens, parameters = huge(rng), huge(rng)
        mesh = tokens * data, parameters, int(rng.integers(1, 9)), int(rng.integers(1, 9))
        mesh = *mesh, data, tensor, a_dtype(rng)
        later.communication.mesh_traffic(*mesh).equals(a_step_on_a_mesh(*mesh))


@pytest.mark.exercise("device_mesh")
def test_one_row_or_one_column(later, rng):
    """One row is tensor parallelism alone, one column ZeRO alone, and one device sends nothing"""
    for _ in range(4):
        n = int(rng.integers(2, 20))
        for data, tensor in ((1, n), (n, 1), (1, 1)):
            sizes = (int(m) for m in rng.integers(2, 1000, size=3))
            mesh = n * next(sizes), *sizes, 7, data, tensor, a_dtype(rng)
            later.communication.mesh_traffic(*mesh).equals(a_step_on_a_mesh(*mesh))


def degree_by_trying(parameters, layers, features, heads, dtype, peak, bandwidth):
    """Times of all numbers of devices that share the heads, in fractions."""
    hidden = []
    for devices in range(1, heads + 1):
        if any(share != heads // devices for share in hand_out(heads, devices)):
            continue
        tokens = 3 * devices
        sent = 4 * layers * ring("all_reduce", tokens * features, devices, dtype)
        compute, wire = both_times(tokens, parameters, sent * devices, peak, bandwidth)
        if wire <= compute:  # both of all devices together
            hidden.append(devices)
    return max(hidden)


def balanced(parameters, layers, features, dtype, peak, devices):
    """A bandwidth with which communication takes as long as compute on so many devices."""
    return 4 * layers * features * width(dtype) * (devices - 1) / (3 * parameters) * peak


@pytest.mark.exercise("device_mesh", weight=2)
def test_the_largest_degree(later, rng):
    """The degree is the largest of all that share the heads equally and communicate no longer than
    they compute"""
    for heads in (12, 24, 36, 40, 15, 16, *rng.integers(2, 50, size=14).tolist()):
        features = int(rng.integers(1, (10, 10**4)[heads % 2]))
        model = int(rng.integers(1, 10**12)), int(rng.integers(1, 99)), features
        dtype, (peak, _) = a_dtype(rng), random_device(rng)
        equal = int(rng.integers(1, heads + 3)) + float(rng.uniform(0.02, 0.98))
        bandwidth = balanced(*model, dtype, peak, equal)
        numbers = *model, heads, dtype, peak, bandwidth
        later.communication.largest_tensor_degree(*numbers).equals(degree_by_trying(*numbers))


@pytest.mark.exercise("device_mesh")
def test_degrees_at_their_ends(later, rng):
    """Communication that takes exactly as long as compute hides, one parameter fewer does not; one
    device is always enough, and there are no more devices than heads"""
    for devices in (4, 16):
        # All numbers are small multiples of powers of 2, so floats are exact in any order.
        model = [2 ** int(rng.integers(2, 6)), 2 ** int(rng.integers(4, 12))]
        dtype, bandwidth = a_dtype(rng), 2.0 ** int(rng.integers(10, 20))
        sent = 4 * model[0] * ring("all_reduce", devices * model[1], devices, dtype)
        peak = bandwidth * 2**10
        parameters = sent * 2**10 // 6
        for fewer in (0, 1):
            numbers = parameters - fewer, *model, devices, dtype, peak, bandwidth
            later.communication.largest_tensor_degree(*numbers).equals(devices // (1 + fewer))
            assert degree_by_trying(*numbers) == devices // (1 + fewer)
        heads = int(rng.integers(2, 99))
        for link, degree in ((bandwidth / 2**40, 1), (bandwidth * 2**40, heads)):
            numbers = parameters, *model, heads, dtype, peak, link
            later.communication.largest_tensor_degree(*numbers).equals(degree)
