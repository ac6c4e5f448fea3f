"""Budgets, with the lecture's own numbers."""

import pytest
import torch

from assignment.expect import expect
from assignment.material.recipes import drawn_recipe

FP32, BF16 = torch.float32, torch.bfloat16
ALL_FP32 = {"parameters": [FP32], "gradients": [FP32], "master": [], "optimizer": [FP32, FP32]}
IN_BF16 = {"parameters": [BF16], "gradients": [BF16], "master": [], "optimizer": [FP32, FP32]}
WITH_MASTER = {**IN_BF16, "master": [FP32]}


@pytest.mark.exercise("recipe_bytes")
def test_the_lectures_recipes(impl):
    """AdamW takes 16 bytes per parameter in fp32, 12 in bf16, and 16 with a master copy"""
    expect(impl.budget.bytes_per_parameter(ALL_FP32), "all in fp32").equals(
        16, hint="4 for the parameter, 4 for its gradient, 4 for each of two moments"
    )
    expect(impl.budget.bytes_per_parameter(IN_BF16), "in bf16, moments in fp32").equals(12)
    expect(impl.budget.bytes_per_parameter(WITH_MASTER), "with a master copy").equals(16)


@pytest.mark.exercise("recipe_bytes")
def test_state_of_70b(impl):
    """70B parameters in bf16 take 140 GB, gradients 140 and the optimizer 560: 840 GB together"""
    state = {"parameters": 140 * 10**9, "gradients": 140 * 10**9, "master": 0}
    expect(impl.budget.training_state(70 * 10**9, IN_BF16)).equals(
        {**state, "optimizer": 560 * 10**9, "total": 840 * 10**9},
        hint="each part is its bytes per parameter times the parameters, the total their sum: ints",
    )


@pytest.mark.exercise("recipe_bytes")
def test_a_recipe_has_four_parts(impl):
    """A recipe that lacks a part, or has an unknown one, is refused; the message names the part"""
    lacking = {part: dtypes for part, dtypes in IN_BF16.items() if part != "gradients"}
    for part, recipe in (("gradients", lacking), ("momentum", {**IN_BF16, "momentum": []})):
        with pytest.raises(ValueError) as refused:
            impl.budget.bytes_per_parameter(recipe)
        what = f"whether the error's message, {str(refused.value)!r}, names {part!r}"
        expect(part in str(refused.value), what).equals(True)
    expect(impl.budget.bytes_per_parameter({**IN_BF16, "optimizer": []})).equals(
        4, hint="a part that is not kept is an empty list"
    )


@pytest.mark.exercise("recipe_bytes")
def test_random_recipes(impl, rng):
    """Every copy of a part counts, parts may be lists or tuples, and bytes are exact ints"""
    for i in range(10):
        recipe, held = drawn_recipe(rng)
        parameters = int(rng.integers(2**60, 2**62)) | 1 if i else 0
        expect(impl.budget.bytes_per_parameter(recipe), f"bytes of {recipe}").equals(
            sum(held.values())
        )
        expected = {part: parameters * each for part, each in held.items()}
        expected["total"] = sum(expected.values())
        expect(impl.budget.training_state(parameters, recipe), "the state").equals(expected)


@pytest.mark.exercise("recipe_bytes")
def test_the_lectures_devices(impl):
    """8 devices of 80 GB hold 40e9 parameters in fp32, and 53.3e9 in bf16 with fp32 moments"""
    expect(impl.budget.largest_model(8, 80 * 10**9, ALL_FP32)).equals(40 * 10**9)
    expect(impl.budget.largest_model(8, 80 * 10**9, IN_BF16)).equals(
        53_333_333_333, hint="divide the bytes of all devices by 12, rounded down to an exact int"
    )


@pytest.mark.exercise("recipe_bytes")
def test_devices_are_a_pool(impl):
    """Three devices of 10 bytes hold two parameters of 12 bytes: memory is one pool"""
    expect(impl.budget.largest_model(3, 10, IN_BF16)).equals(2)


@pytest.mark.exercise("recipe_bytes")
def test_the_largest_model_fits_exactly(impl, rng):
    """It fits, and one parameter more does not, for any recipe and however many there are"""
    for _ in range(20):
        recipe, held = drawn_recipe(rng)
        devices, memory = int(rng.integers(1, 5000)), int(rng.integers(2**55, 2**60))
        found = impl.budget.largest_model(devices, memory, recipe)
        expect(found, "the parameters").is_a(int)
        each = sum(held.values())
        expect(found * each <= devices * memory, f"do {found} parameters fit").equals(True)
        expect((found + 1) * each <= devices * memory, "does one more fit").equals(False)
    expect(impl.budget.largest_model(1, 0, IN_BF16), "without memory").equals(0)


@pytest.mark.exercise("zero_stages")
def test_the_papers_figure(impl):
    """7.5B parameters on 64 devices: 120, 31.4, 16.6 and 1.88 GB at stages 0 to 3"""
    for stage, held, hint in [
        (0, 120_000_000_000, "16 bytes per parameter on every device"),
        (1, 31_406_250_000, "the master copy and the moments, 12 bytes, are sharded"),
        (2, 16_640_625_000, "the gradients, 2 bytes, are sharded too"),
        (3, 1_875_000_000, "the parameters, 2 bytes, are sharded too"),
    ]:
        expect(
            impl.budget.zero_bytes(7_500_000_000, 64, stage, WITH_MASTER), f"stage {stage}"
        ).equals(held, hint=hint)


@pytest.mark.exercise("zero_stages")
def test_the_fullest_device_of_three(impl):
    """With 10 parameters on 3 devices, the fullest holds 4, which is 4 · 12 bytes at stage 3"""
    expect(impl.budget.zero_bytes(10, 3, 3, IN_BF16)).equals(48, hint="10 = 4 + 3 + 3")
    expect(impl.budget.zero_bytes(10, 3, 1, IN_BF16)).equals(72, hint="10 · (2 + 2) + 4 · 8")


@pytest.mark.exercise("zero_stages")
def test_random_stages(impl, rng):
    """Each stage shards what the text's table says; the fullest device holds whole parameters"""
    for i in range(20):
        recipe, held = drawn_recipe(rng)
        parameters, devices = int(rng.integers(2**60)) if i > 3 else 0, int(rng.integers(1, 99))
        sharded = [(), ("optimizer", "master"), ("optimizer", "master", "gradients"), tuple(held)]
        share = parameters // devices + (parameters % devices > 0)
        expected = sum(
            each * (share if part in sharded[i % 4] else parameters) for part, each in held.items()
        )
        found = impl.budget.zero_bytes(parameters, devices, i % 4, recipe)
        expect(found, f"stage {i % 4}, {devices} devices, {recipe}").equals(expected)


@pytest.mark.exercise("activation_memory")
def test_the_lectures_activations(impl):
    """The activations of 16 layers of width 1024 take 2 MiB in bf16 for a batch of 64"""
    expect(impl.budget.activation_bytes(64, 1024, 16, BF16)).equals(2_097_152)
    expect(impl.budget.activation_bytes(16, 1024, 16, BF16)).equals(
        524_288, hint="activations grow with the batch"
    )


@pytest.mark.exercise("activation_memory")
def test_the_lectures_micro_batch(impl):
    """524,288 bytes are enough for a micro-batch of 16, one byte less only for one of 8"""
    expect(impl.budget.micro_batch_size(64, 1024, 16, BF16, 524_288)).equals(16)
    expect(impl.budget.micro_batch_size(64, 1024, 16, BF16, 524_287)).equals(
        8, hint="15 rows would fit, but 15 does not divide 64"
    )


@pytest.mark.exercise("activation_memory")
def test_one_row_that_does_not_fit(impl):
    """A budget that is too small for one row is refused; rows of 0 bytes fit into any"""
    expect(impl.budget.micro_batch_size(9, 10, 2, BF16, 40)).equals(1)
    expect(impl.budget.activation_bytes(9, 0, 2, BF16), "bytes of width 0").equals(0)
    expect(impl.budget.micro_batch_size(9, 0, 2, BF16, 0), "where rows take no bytes").equals(
        9, hint="rows of 0 bytes fit into any budget"
    )
    with pytest.raises(ValueError):
        impl.budget.micro_batch_size(9, 10, 2, BF16, 39)


@pytest.mark.exercise("activation_memory")
def test_the_largest_divisor_that_fits(impl, rng):
    """The micro-batch is the largest divisor of the batch that fits: of 9 rows 3, not 4"""
    for _ in range(20):
        batch = int(rng.choice([9, 45, 60, 97, 360]))
        width, layers = (int(n) for n in rng.integers(1, 50, size=2))
        rows = int(rng.integers(1, batch + 2))
        budget = impl.budget.activation_bytes(rows, width, layers, FP32)
        expect(budget, f"bytes of {rows} rows").equals(rows * width * layers * 4)
        fits = [n for n in range(1, batch + 1) if batch % n == 0 and n <= rows]
        found = impl.budget.micro_batch_size(batch, width, layers, FP32, budget)
        expect(found, f"of {batch} rows, where {rows} would fit").equals(max(fits))


@pytest.mark.exercise("checkpointing_cost")
def test_all_or_nothing(impl):
    """4 layers: all stored, none runs again; only the input stored, 3 held and 3 + 2 + 1 runs, or 4
    and 3 if a segment is kept"""
    expect(impl.budget.checkpointing_cost(4, [0, 1, 2, 3], True)).equals(
        {"activations": 4, "recomputed_layers": 0}
    )
    expect(impl.budget.checkpointing_cost(4, [0], False)).equals(
        {"activations": 3, "recomputed_layers": 6},
        hint="when layer 1 runs again, activations 0, 1 and 2 are held at once",
    )
    expect(impl.budget.checkpointing_cost(4, [0], True)).equals(
        {"activations": 4, "recomputed_layers": 3}, hint="layers 0, 1 and 2 run again, once"
    )


@pytest.mark.exercise("checkpointing_cost")
def test_one_in_four(impl):
    """Of 16 layers, 4 stored: 7 activations are held, and 12 layers run again"""
    expect(impl.budget.checkpointing_cost(16, [0, 4, 8, 12], True)).equals(
        {"activations": 7, "recomputed_layers": 12},
        hint="4 stored, plus 3 in the last segment; layers 3, 7, 11 and 15 need not run again",
    )


@pytest.mark.exercise("checkpointing_cost")
def test_random_strategies(impl, rng):
    """What is held at most and what runs again, counted by going through the backward pass"""
    for i in range(20):
        layers = int(rng.integers(1, 14)) if i > 1 else 1
        stored = [0, *(n for n in range(1, layers) if rng.random() < 0.4)]
        held, most, runs = set(stored), len(stored), 0
        for layer in reversed(range(layers)):
            at = max(n for n in held if n <= layer)
            while at < layer:
                runs, at = runs + 1, at + 1
                held.add(at)
                most = max(most, len(held))
                if i % 2 and at - 1 not in stored:
                    held.discard(at - 1)
            held.discard(layer)
        kind = tuple if i % 3 else list
        found = impl.budget.checkpointing_cost(layers, kind(stored), i % 2 == 0)
        what = f"{layers} layers, {stored}, segments {'dropped' if i % 2 else 'kept'}"
        expect(found, what).equals({"activations": most, "recomputed_layers": runs})
