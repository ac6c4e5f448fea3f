"""Communication, with the chapter's own numbers."""

import pytest
import torch

from assignment.expect import expect

FP32, BF16 = torch.float32, torch.bfloat16
H100 = {"peak_flops": 989.5e12}  # dense bfloat16
NVLINK = {"bandwidth": 450e9}  # in one direction


@pytest.mark.exercise("collective_bytes")
def test_gradients_of_8b(impl):
    """8e9 gradients in bf16 on 4 devices: a device sends 12 GB in a reduce-scatter or all-gather,
    24 GB in an all-reduce, and 16 GB in a broadcast"""
    for collective, sent, hint in [
        ("reduce_scatter", 12_000_000_000, "3 steps of one chunk; a chunk is 4 GB"),
        ("all_gather", 12_000_000_000, "3 steps of one chunk; a chunk is 4 GB"),
        ("all_reduce", 24_000_000_000, "a reduce-scatter, then an all-gather"),
        ("broadcast", 16_000_000_000, "each device but the last passes the whole buffer on"),
    ]:
        found = impl.communication.collective_bytes(collective, 8 * 10**9, 4, BF16)
        expect(found, collective).equals(sent, hint=hint)


@pytest.mark.exercise("collective_bytes")
def test_ten_elements_on_four_devices(impl):
    """10 elements on 4 devices are chunks of 3, of which a device sends 3 in an all-gather"""
    send = impl.communication.collective_bytes
    expect(send("all_gather", 10, 4, BF16)).equals(18, hint="3 steps · 3 elements · 2 bytes")
    expect(send("broadcast", 10, 4, BF16)).equals(20, hint="a broadcast needs no chunks")
    for collective in ("all_reduce", "reduce_scatter", "all_gather", "broadcast"):
        expect(send(collective, 10, 1, BF16), f"{collective} on one device").equals(
            0, hint="there is no neighbour to send to"
        )


@pytest.mark.exercise("collective_bytes")
def test_random_rings(impl, rng):
    """Of n chunks a device sends n - 1, twice in an all-reduce, exact however large they are"""
    for i in range(20):
        devices, chunk = int(rng.integers(1, 100)), int(rng.integers(1, 10**6)) + i % 2 * 2**64
        # The last chunk may be short: it is padded.
        elements = devices * chunk - int(rng.integers(min(devices, chunk)))
        for collective, rounds in (("reduce_scatter", 1), ("all_gather", 1), ("all_reduce", 2)):
            found = impl.communication.collective_bytes(collective, elements, devices, FP32)
            expect(found, f"{collective} of {elements} elements on {devices} devices").equals(
                rounds * (devices - 1) * chunk * 4,
                hint="chunks have ceil(elements / devices) elements; use exact ints",
            )


@pytest.mark.exercise("zero_traffic")
def test_the_papers_model(impl):
    """7.5B parameters in bf16 on 64 devices: 29.5 GB at stages 0 to 2, 44.3 GB at stage 3"""
    half = 14_765_625_000
    for stage, gradients, parameters, hint in [
        (0, 2 * half, 0, "an all-reduce of the gradients"),
        (1, half, half, "a reduce-scatter of gradients, an all-gather of the new parameters"),
        (2, half, half, "the same as stage 1"),
        (3, half, 2 * half, "parameters are gathered forward, and again backward"),
    ]:
        found = impl.communication.zero_traffic(7_500_000_000, 64, stage, BF16, BF16)
        expect(found, f"traffic at stage {stage}").equals(
            {"gradients": gradients, "parameters": parameters, "total": gradients + parameters},
            hint=hint,
        )


@pytest.mark.exercise("zero_traffic")
def test_micro_batches_and_two_dtypes(impl):
    """Traffic of 8 micro-batches, with gradients in one dtype and parameters in another"""
    chunk = 10  # elements: 7 chunks are sent each time
    for stage, gradients, parameters, hint in [
        (0, 2 * 7, 0, "gradients are added up on the device before they are sent"),
        (1, 7, 7, "gradients are added up on the device before they are sent"),
        (2, 8 * 7, 7, "each micro-batch's gradients are sent: there is no room for them"),
        (3, 8 * 7, 2 * 8 * 7, "each micro-batch gathers the parameters twice"),
    ]:
        sent = {"gradients": gradients * chunk * 4, "parameters": parameters * chunk * 2}
        found = impl.communication.zero_traffic(80, 8, stage, BF16, FP32, micro_batches=8)
        expect(found, f"traffic at stage {stage}").equals(
            {**sent, "total": sum(sent.values())}, hint=hint
        )


@pytest.mark.exercise("zero_traffic")
def test_random_stages(impl, rng):
    """Traffic is that of the stage's collectives, with shards rounded up"""
    for i in range(20):
        devices, micro_batches = (int(n) for n in rng.integers(1, 20, size=2))
        parameters, stage = int(rng.integers(10**6)) + i % 2 * 2**64, i % 4
        shard = (parameters + devices - 1) // devices * (devices - 1)
        once = {0: (2, 0), 1: (1, 1), 2: (0, 1), 3: (0, 0)}[stage]
        often = {0: (0, 0), 1: (0, 0), 2: (1, 0), 3: (1, 2)}[stage]
        counts = [a + micro_batches * b for a, b in zip(once, often, strict=True)]
        sent = {"gradients": counts[0] * shard * 2, "parameters": counts[1] * shard * 4}
        found = impl.communication.zero_traffic(
            parameters, devices, stage, FP32, BF16, micro_batches
        )
        what = f"{parameters} parameters on {devices} devices at stage {stage}"
        expect(found, what).equals({**sent, "total": sum(sent.values())})


@pytest.mark.exercise("zero_traffic")
def test_tensor_parallel_sends_activations(impl, rng):
    """A layer takes four all-reduces of tokens × width activations, whatever its matrices hold"""
    traffic = impl.communication.tensor_parallel_traffic
    expect(traffic(16_384, 4096, 32, 8, BF16)).equals(
        30_064_771_072, hint="4 · 32 all-reduces of 67,108,864 activations"
    )
    for i in range(10):
        tokens, width, layers, devices = (int(n) for n in rng.integers(1, 30, size=4))
        tokens += (0, 2**64, 2**55)[i % 3]
        chunk = (tokens * width + devices - 1) // devices
        found = traffic(tokens, width, layers, devices, FP32)
        expect(found, f"{layers} layers of {tokens}×{width} on {devices} devices").equals(
            4 * layers * 2 * (devices - 1) * chunk * 4,
            hint="two all-reduces forward, two backward, in each layer",
        )


@pytest.mark.exercise("hidden_communication")
def test_a_step_on_h100s(impl):
    """8e9 parameters, 42 GB over NVLink: 4096 tokens hide 93 ms on the wire behind 199 ms of
    compute, 1024 tokens do not"""
    found = impl.communication.step_seconds(4096, 8 * 10**9, 42 * 10**9, **H100, **NVLINK)
    expected = {"compute": 0.19869429004548, "communication": 0.09333333333333}
    expected |= {"overlapped": 0.19869429004548, "sequential": 0.29202762337881}
    expect(found).close(
        expected,
        rtol=1e-9,
        hint="6 FLOPs for each parameter and token; overlapped, the longer of two",
    )
    found = impl.communication.step_seconds(1024, 8 * 10**9, 42 * 10**9, **H100, **NVLINK)
    expect(found["overlapped"], "1024 tokens, overlapped").close(
        0.09333333333333, rtol=1e-9, hint="now communication takes longer"
    )


@pytest.mark.exercise("hidden_communication")
def test_tokens_that_hide_42_gb(impl, rng):
    """On an H100, 42 GB over NVLink hide behind 1925 tokens, and any traffic behind the fewest that
    are enough"""
    hiding = impl.communication.hiding_tokens
    expect(hiding(8 * 10**9, 42 * 10**9, **H100, **NVLINK)).equals(
        1925, hint="1924.03 tokens take as long as 42 GB, so 1924 are too few"
    )
    expect(hiding(8 * 10**9, 42 * 10**9, **H100, bandwidth=50e9)).equals(17_317)
    expect(hiding(8 * 10**9, 0, **H100, **NVLINK)).equals(0, hint="nothing is to be hidden")
    for _ in range(20):
        tokens, share = int(rng.integers(1, 10**4)), float(rng.uniform(0.01, 0.99))
        parameters, sent = (int(n) for n in rng.integers(1, 10**9, size=2))
        bandwidth = float(rng.uniform(1e9, 1e12))
        peak = (tokens - share) * 6 * parameters / sent * bandwidth
        numbers = (parameters, sent, peak, bandwidth)
        expect(hiding(*numbers), f"hiding_tokens{numbers}").equals(
            tokens, hint=f"{tokens - share} tokens take as long as {sent} bytes"
        )


@pytest.mark.exercise("hidden_communication")
def test_random_steps(impl, rng):
    """Compute and communication take their times; overlapped the longer, sequential both"""
    for _ in range(20):
        tokens, parameters, sent = (int(n) for n in rng.integers(10**6, size=3))
        peak, bandwidth = float(rng.uniform(1e5, 1e6)), float(rng.uniform(0.1, 1))
        compute, wire = 6 * parameters * tokens / peak, sent / bandwidth
        expected = {"compute": compute, "communication": wire}
        expected |= {"overlapped": max(compute, wire), "sequential": compute + wire}
        found = impl.communication.step_seconds(tokens, parameters, sent, peak, bandwidth)
        expect(found).close(expected, rtol=1e-12)


@pytest.mark.exercise("device_mesh")
def test_64_devices_in_three_meshes(impl):
    """8e9 parameters on 64 devices with 512 tokens each: as 64×1 a device sends 47.3 GB, as 16×4
    11.3 and 3.2, as 8×8 5.3 and 7.5"""
    for data, tensor, of_parameters, of_tokens in [
        (64, 1, 47_250_000_000, 0),
        (16, 4, 11_250_000_000, 3_221_225_472),
        (8, 8, 5_250_000_000, 7_516_192_768),
    ]:
        found = impl.communication.mesh_traffic(32_768, 8 * 10**9, 32, 4096, data, tensor, BF16)
        expect(found, f"traffic of {data} rows and {tensor} columns").equals(
            {"data": of_parameters, "tensor": of_tokens},
            hint=f"a column shards 1/{tensor} of the parameters, a row has 1/{data} of the tokens",
        )


@pytest.mark.exercise("device_mesh")
def test_two_rows_of_three_devices(impl):
    """10 parameters on 2 rows of 3 devices: a column has 4 of them, and a row half of the tokens"""
    found = impl.communication.mesh_traffic(6, 10, 1, 5, 2, 3, FP32)
    expect(found, "traffic of 2 rows and 3 columns").equals(
        # 3 collectives, 1 step, chunks of 2; 4 all-reduces, 4 steps, chunks of 3 · 5 / 3
        {"data": 3 * 1 * 2 * 4, "tensor": 4 * 4 * 5 * 4},
        hint="ceil(10 / 3) parameters on a ring of 2; 3 tokens of 5 features on a ring of 3",
    )


@pytest.mark.exercise("device_mesh")
def test_random_meshes(impl, rng):
    """A column gathers its share of the parameters twice and reduces its gradients once; a row
    all-reduces its own tokens"""
    for i in range(20):
        data, tensor, layers, width, row, shard = (int(n) for n in rng.integers(1, 20, size=6))
        shard += (0, 2**64)[i % 2]  # exact, however large
        sizes = data * row * tensor, tensor * data * shard, layers, width, data, tensor
        expected = {
            "data": 3 * (data - 1) * shard * 2,
            "tensor": 4 * layers * 2 * (tensor - 1) * row * width * 2,
        }
        found = impl.communication.mesh_traffic(*sizes, BF16)
        expect(found, f"mesh_traffic{sizes} in bf16").equals(expected)


@pytest.mark.exercise("device_mesh")
def test_largest_degree_on_h100s(impl):
    """Of 8e9 parameters over NVLink, up to 11 devices compute longer than they communicate: 8 of
    them share 32 heads equally, 10 share 40, and 11 share 33"""
    degree, model = impl.communication.largest_tensor_degree, (8 * 10**9, 32, 4096)
    for heads, expected in ((32, 8), (40, 10), (33, 11), (7, 7), (13, 1)):
        found = degree(*model, heads, BF16, **H100, **NVLINK)
        expect(found, f"degree for {heads} heads").equals(
            expected, hint=f"11 devices at most, by the times; and they share {heads} heads"
        )
    found = degree(*model, 32, FP32, **H100, **NVLINK)
    expect(found, "degree in float32").equals(4, hint="twice the bytes: 6 devices at most")
    found = degree(*model, 32, BF16, **H100, bandwidth=50e9)
    expect(found, "degree with one adapter").equals(2, hint="2.16 devices take equally long")


@pytest.mark.exercise("device_mesh")
def test_random_degrees(impl, rng):
    """The degree is the largest divisor of the heads for which communication hides"""
    for _ in range(20):
        heads, layers, width, most = (int(n) for n in rng.integers(1, 40, size=4))
        parameters, peak = int(rng.integers(1, 10**9)), float(rng.uniform(1e13, 1e15))
        # For one token on each of n devices: 8 L (n - 1) · width · 2 bytes, and 6 N FLOPs.
        equal = most + float(rng.uniform(0.05, 0.95))
        bandwidth = 8 * layers * (equal - 1) * width * 2 / (6 * parameters) * peak
        numbers = parameters, layers, width, heads, BF16, peak, bandwidth
        expect(
            impl.communication.largest_tensor_degree(*numbers), f"largest_tensor_degree{numbers}"
        ).equals(
            max(n for n in range(1, most + 1) if heads % n == 0),
            hint=f"on {equal:.2f} devices both times would be equal",
        )
