"""Budgets, compared with torch, filled devices and a simulated backward pass."""

import math
from fractions import Fraction

import pytest
import torch

from assignment.expect import expect

PARTS = ["parameters", "gradients", "master", "optimizer"]
WIDE = [torch.float64, torch.float32, torch.bfloat16]


def random_recipe(rng, dtypes=WIDE, alike=False):
    """A recipe in which all parts have different sizes, none of them 0.

    Only with `alike` may a part contain several copies of one dtype.
    """
    while True:
        recipe = {
            PARTS[i]: (list, tuple)[i % 2](
                dtypes[d]
                for d in rng.choice(len(dtypes), size=int(rng.integers(1, 4)), replace=alike)
            )
            for i in rng.permutation(4)
        }
        sizes = [each(recipe[part]) for part in PARTS]
        # Different sizes, and not 4 bytes on average, as in float32.
        if len(set(sizes)) == 4 and sum(sizes) != 4 * sum(map(len, recipe.values())):
            return recipe


def each(dtypes):
    """Total bytes of one-element tensors, one of each of these dtypes."""
    return sum(torch.empty(1, dtype=dtype, device="meta").nbytes for dtype in dtypes)


def of_all(recipe):
    """Bytes of all copies of one parameter."""
    return sum(map(each, recipe.values()))


def huge(rng):
    return int(rng.integers(2**62)) * int(rng.integers(2**62)) + 1


# --- recipe_bytes ------------------------------------------------------------


@pytest.mark.exercise("recipe_bytes", weight=2)
def test_every_copy_counts(later, rng):
    """A recipe takes the bytes of all its copies, even if two have the same dtype"""
    for _ in range(40):
        recipe = random_recipe(rng, [*WIDE, torch.uint8], alike=True)
        for part in rng.choice(PARTS, size=int(rng.integers(3))):
            recipe[str(part)] = []
        later.budget.bytes_per_parameter(recipe).equals(of_all(recipe))


@pytest.mark.exercise("recipe_bytes")
def test_state_part_by_part(later, rng):
    """The training state is each part's bytes times the parameters, plus their total"""
    for parameters in [0, 1, *rng.integers(2, 10**6, size=20).tolist()]:
        recipe = random_recipe(rng)
        if parameters % 2:
            recipe[str(rng.choice(PARTS))] = []
        check_state(later, parameters, recipe)


def check_state(later, parameters, recipe):
    state = {part: parameters * each(recipe[part]) for part in PARTS}
    later.budget.training_state(parameters, recipe).equals({**state, "total": sum(state.values())})


@pytest.mark.exercise("recipe_bytes")
def test_huge_state_is_exact(later, rng):
    """Bytes beyond 64 bits are exact integers"""
    for _ in range(10):
        check_state(later, huge(rng), random_recipe(rng))


@pytest.mark.exercise("recipe_bytes")
def test_the_message_names_the_part(impl, later, rng):
    """A recipe with a part that is missing or unknown is refused; the message names the part"""
    for part in PARTS:
        recipe, unknown = random_recipe(rng), f"part {int(rng.integers(10**6))}"
        lacking = {name: dtypes for name, dtypes in recipe.items() if name != part}
        for given, named in [(lacking, part), ({**recipe, unknown: []}, unknown)]:
            with pytest.raises(ValueError) as error:
                impl.budget.bytes_per_parameter(given)
            expect(named in str(error.value), f"the message names {named!r}").equals(True)
        later.budget.bytes_per_parameter(recipe).equals(of_all(recipe))


# --- largest_model -----------------------------------------------------------

# In floats, 49 times 1/49 is less than 1.
OF_49_BYTES = {part: [] for part in PARTS} | {"parameters": [torch.int8] * 49}


def check_largest(later, devices, device_bytes, recipe):
    later.budget.largest_model(devices, device_bytes, recipe).equals(
        math.floor(Fraction(devices * device_bytes, of_all(recipe)))
    )


@pytest.mark.exercise("recipe_bytes", weight=2)
def test_one_parameter_more_does_not_fit(later, rng):
    """The largest model fits into the memory of all devices; one more parameter would not"""
    check_largest(later, 49, 49 * 10**6 + 1, OF_49_BYTES)
    for _ in range(40):
        devices, device_bytes = int(rng.integers(1, 2000)), int(rng.integers(10**12))
        check_largest(later, devices, device_bytes, random_recipe(rng))


@pytest.mark.exercise("recipe_bytes")
def test_the_brim_is_exact(later, rng):
    """Memory is used to the last byte, and one byte less makes the model smaller"""
    for left in range(1, 49):
        check_largest(later, 49, 5 * 49 + left, OF_49_BYTES)
    for _ in range(15):
        recipe, devices, wanted = random_recipe(rng), int(rng.integers(1, 99)), huge(rng)
        full = wanted * of_all(recipe)
        later.budget.largest_model(devices, full, recipe).equals(devices * wanted)
        later.budget.largest_model(1, full - 1, recipe).equals(wanted - 1)
        later.budget.largest_model(1, full + 1, recipe).equals(wanted)


@pytest.mark.exercise("recipe_bytes")
def test_little_memory_holds_few_parameters(later, rng):
    """The memory of all devices is added up, even if none of them could hold a parameter alone"""
    check_largest(later, 49, 1, OF_49_BYTES)
    for _ in range(15):
        recipe = random_recipe(rng)
        one = of_all(recipe)
        small = int(rng.integers(1, one))
        for devices in (1, one, 3 * one, 3 * one + 1):
            check_largest(later, devices, small, recipe)
        check_largest(later, 5, 0, recipe)


# --- zero_stages -------------------------------------------------------------

SHARDED = {
    0: set(),
    1: {"optimizer", "master"},
    2: {"optimizer", "master", "gradients"},
    3: set(PARTS),
}


def fullest(parameters, devices, stage, recipe):
    """Distributes the parameters one by one, and counts the bytes of each device."""
    held = [0] * devices
    for part, dtypes in recipe.items():
        for parameter in range(parameters):
            for device in range(devices):
                if part not in SHARDED[stage] or parameter % devices == device:
                    held[device] += each(dtypes)
    return max(held)


def check_share(later, rng, parameters, devices, stage, share):
    """Compares with such a share of what is sharded, and all of what is not."""
    recipe = random_recipe(rng)
    held = {part: share if part in SHARDED[stage] else parameters for part in PARTS}
    later.budget.zero_bytes(parameters, devices, stage, recipe).equals(
        sum(held[part] * each(recipe[part]) for part in PARTS)
    )


def check_even_stages(later, rng):
    for stage in range(4):
        devices, share = int(rng.integers(2, 100)), int(rng.integers(1, 10**9))
        check_share(later, rng, share * devices, devices, stage, share)


@pytest.mark.exercise("zero_stages", weight=2)
def test_stages_where_all_is_even(later, rng):
    """If the devices divide the parameters, each stage shards its parts evenly"""
    for _ in range(8):
        check_even_stages(later, rng)


@pytest.mark.exercise("zero_stages", weight=2)
def test_the_fullest_device(later, rng):
    """If the devices do not divide the parameters, the bytes of the fullest device count"""
    for stage in [0, 1, 2, 3] * 5:
        recipe, devices = random_recipe(rng), int(rng.integers(1, 8))
        parameters = int(rng.integers(0, 20))
        later.budget.zero_bytes(parameters, devices, stage, recipe).equals(
            fullest(parameters, devices, stage, recipe)
        )


@pytest.mark.exercise("zero_stages")
def test_one_device_holds_everything(later, rng):
    """A single device holds everything, at every stage"""
    for stage in range(4):
        parameters = int(rng.integers(1, 10**9))
        check_share(later, rng, parameters, 1, stage, parameters)
        check_share(later, rng, 0, 3, stage, 0)
    check_even_stages(later, rng)


@pytest.mark.exercise("zero_stages")
def test_huge_shares_are_exact(later, rng):
    """Shares beyond 64 bits are exact integers, rounded up"""
    for _ in range(5):
        devices, parameters = int(rng.integers(2, 2000)), huge(rng)
        for stage in range(4):
            share = math.ceil(Fraction(parameters, devices))
            check_share(later, rng, parameters, devices, stage, share)


# --- activation_memory -------------------------------------------------------


def check_micro_batch(later, rng, batch):
    """A batch that may have to be split, and the bytes of its activations."""
    width, layers = (int(n) for n in rng.integers(2, 50, size=2))
    dtype = [*WIDE, torch.uint8][int(rng.integers(4))]
    row = width * layers * each([dtype])
    later.budget.activation_bytes(batch, width, layers, dtype).equals(batch * row)
    # Never full to the last byte: another test checks that rule.
    budget = row * int(rng.integers(1, 6 * batch // 5 + 1)) + int(rng.integers(1, row))
    fitting = [n for n in range(1, batch + 1) if batch % n == 0 and n * row <= budget]
    later.budget.micro_batch_size(batch, width, layers, dtype, budget).equals(fitting[-1])


@pytest.mark.exercise("activation_memory")
def test_activations_are_the_layers_inputs(later, rng):
    """Activations take the bytes of one batch × width tensor for each layer"""
    for _ in range(40):
        batch, width, layers = rng.integers(1, 300, size=3).tolist()
        dtype = [*WIDE, torch.uint8][int(rng.integers(4))]
        inputs = torch.empty(layers, batch, width, dtype=dtype, device="meta")
        later.budget.activation_bytes(batch, width, layers, dtype).equals(inputs.nbytes)


@pytest.mark.exercise("activation_memory")
def test_huge_activations_are_exact(later, rng):
    """Counts of bytes above 2**64 are exact integers; a size of 0 gives 0 bytes"""
    for _ in range(8):
        batch, width, layers = (int(n) | 1 for n in rng.integers(2**40, size=3))
        later.budget.activation_bytes(batch, width, layers, torch.bfloat16).equals(
            sum([batch * width * layers] * 2)
        )
        for sizes in [(0, width, layers), (batch, 0, layers), (batch, width, 0)]:
            later.budget.activation_bytes(*sizes, torch.bfloat16).equals(0)


@pytest.mark.exercise("activation_memory", weight=2)
def test_micro_batches_divide_the_batch(later, rng):
    """The micro-batch is the largest divisor of the batch whose activations fit"""
    for batch in [1, 2, 7, 12, 36, 64, 97, 120, 180, 210, 243, 256, 257] * 6:
        check_micro_batch(later, rng, batch)


@pytest.mark.exercise("activation_memory")
def test_micro_batches_to_the_byte(later, rng):
    """Activations may fill the budget to the last byte, but not exceed it"""
    for _ in range(12):
        small, times = int(rng.integers(1, 30)), int(rng.integers(2, 10))
        width, layers = (int(n) for n in rng.integers(2**35, 2**40, size=2))
        dtype = WIDE[int(rng.integers(3))]
        row = width * layers * each([dtype])
        batch = small * times
        divisors = [n for n in range(1, batch) if batch % n == 0]
        for budget, size in ((batch * row, batch), (batch * row - 1, divisors[-1]), (row, 1)):
            later.budget.micro_batch_size(batch, width, layers, dtype, budget).equals(size)


@pytest.mark.exercise("activation_memory")
def test_rows_without_bytes_always_fit(later, rng):
    """Activations of 0 bytes fit into a budget of 0, so the whole batch does"""
    for _ in range(5):
        batch, size = int(rng.integers(1, 99)), int(rng.integers(1, 99))
        later.budget.micro_batch_size(batch, 0, size, torch.float32, 0).equals(batch)
        later.budget.micro_batch_size(batch, size, 0, torch.float32, 5).equals(batch)
        check_micro_batch(later, rng, 12 * batch)


@pytest.mark.exercise("activation_memory")
def test_refuses_what_cannot_fit(later, rng):
    """A budget too small for one row is refused"""
    for _ in range(6):
        batch, width, layers = (int(n) for n in rng.integers(1, 99, size=3))
        sizes = batch, width, layers, torch.float32
        for budget in (4 * width * layers - 1, 0):
            later.budget.micro_batch_size(*sizes, budget).raises(ValueError)
        check_micro_batch(later, rng, 12 * batch)


# --- checkpointing_cost ------------------------------------------------------


def simulated(layers, stored, keep_segment):
    """Simulates the backward pass with a set of live activations, as the text defines it."""
    live, most, runs = set(stored), len(stored), 0
    for i in reversed(range(layers)):
        if i not in live:
            at = max(j for j in live if j < i)
            while at < i:
                live.add(at + 1)  # layer `at` runs: its input and its output are both held
                most, runs = max(most, len(live)), runs + 1
                if not keep_segment and at not in stored:
                    live.remove(at)
                at += 1
        live.remove(i)
    assert not live
    return {"activations": most, "recomputed_layers": runs}


def random_strategy(rng, most=40):
    layers = int(rng.integers(1, most))
    count = int(rng.integers(0, layers))
    chosen = rng.choice(range(1, layers), size=count, replace=False) if count else []
    return layers, [0, *sorted(int(i) for i in chosen)]


def check_cost(later, layers, stored, keep_segment):
    later.budget.checkpointing_cost(layers, stored, keep_segment).equals(
        simulated(layers, stored, keep_segment)
    )


@pytest.mark.exercise("checkpointing_cost", weight=2)
def test_strategies_that_keep_a_segment(later, rng):
    """With keep_segment, the cost of any strategy is that of a simulated backward pass"""
    for _ in range(60):
        layers, stored = random_strategy(rng)
        for sequence in (stored, tuple(stored), list(range(layers))):
            check_cost(later, layers, sequence, True)
    for root in range(2, 12):
        check_cost(later, root * root, list(range(0, root * root, root)), True)


@pytest.mark.exercise("checkpointing_cost", weight=2)
def test_strategies_that_start_again(later, rng):
    """If keep_segment is False, the cost equals that of a simulated backward pass"""
    for _ in range(60):
        layers, stored = random_strategy(rng)
        for sequence in (stored, list(range(layers))):
            check_cost(later, layers, sequence, False)


@pytest.mark.exercise("checkpointing_cost")
def test_segments_near_the_input(later, rng):
    """Activations above a segment are already dropped when the segment runs again"""
    for _ in range(12):
        long, short = int(rng.integers(8, 20)), int(rng.integers(2, 6))
        layers = long + short
        for stored in ([0, *range(long, layers)], [0, *range(1, short), short]):
            for keep_segment in (True, False):
                check_cost(later, layers, stored, keep_segment)


@pytest.mark.exercise("checkpointing_cost")
def test_the_input_alone(later, rng):
    """With only the input stored, recomputed layers are quadratic or all activations are held"""
    for layers in [1, 2, 3, 4, *rng.integers(5, 100, size=8).tolist()]:
        later.budget.checkpointing_cost(layers, [0], False).equals(
            {"activations": min(layers, 3), "recomputed_layers": math.comb(layers, 2)}
        )
        later.budget.checkpointing_cost(layers, [0], True).equals(
            {"activations": layers, "recomputed_layers": layers - 1}
        )
    for keep_segment in (True, False) * 3:
        check_cost(later, *random_strategy(rng), keep_segment)
