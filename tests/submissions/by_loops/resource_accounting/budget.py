"""Budgets, counted one by one."""

from .dtypes import bytes_per_element

PARTS = ("parameters", "gradients", "master", "optimizer")


def check(recipe):
    for part in PARTS:
        if part not in recipe:
            raise ValueError(f"the recipe has no {part!r}")
    for part in recipe:
        if part not in PARTS:
            raise ValueError(f"a recipe has no part {part!r}")


def width(dtypes):
    total = 0
    for dtype in dtypes:
        total += bytes_per_element(dtype)
    return total


def bytes_per_parameter(recipe):
    check(recipe)
    total = 0
    for part in PARTS:
        total += width(recipe[part])
    return total


def training_state(parameters, recipe):
    check(recipe)
    if parameters < 0:
        raise ValueError(f"{parameters} parameters")
    state, total = {}, 0
    for part in PARTS:
        state[part] = width(recipe[part]) * parameters
        total += state[part]
    state["total"] = total
    return state


def largest_model(devices, device_bytes, recipe):
    if devices <= 0:
        raise ValueError(f"{devices} devices")
    if device_bytes < 0:
        raise ValueError(f"{device_bytes} bytes")
    one = bytes_per_parameter(recipe)
    if one == 0:
        raise ValueError("the recipe keeps nothing")
    low, high = 0, devices * device_bytes + 1  # bisection: `low` fits, `high` does not
    while high - low > 1:
        middle = (low + high) // 2
        if middle * one <= devices * device_bytes:
            low = middle
        else:
            high = middle
    return low


def zero_bytes(parameters, devices, stage, recipe):
    check(recipe)
    if stage not in (0, 1, 2, 3):
        raise ValueError(f"stage {stage}")
    if devices <= 0 or parameters < 0:
        raise ValueError(f"{parameters} parameters on {devices} devices")
    fullest = parameters // devices
    if parameters % devices:
        fullest += 1
    total = 0
    for part in PARTS:
        if part in ("optimizer", "master"):
            sharded = stage >= 1
        elif part == "gradients":
            sharded = stage >= 2
        else:
            sharded = stage >= 3
        for dtype in recipe[part]:
            total += width([dtype]) * (fullest if sharded else parameters)
    return total


def activation_bytes(batch, width, layers, dtype):
    if batch < 0 or width < 0 or layers < 0:
        raise ValueError(f"{layers} layers of {batch}×{width}")
    return bytes_per_element(dtype) * batch * width * layers


def micro_batch_size(batch, width, layers, dtype, budget):
    best = None
    activation_bytes(1, width, layers, dtype)  # which refuses width, layers and dtype
    for size in range(1, batch + 1):
        if batch % size == 0 and activation_bytes(size, width, layers, dtype) <= budget:
            best = size
    if best is None:
        raise ValueError(f"{budget} bytes are not enough for a row of a batch of {batch}")
    return best


def checkpointing_cost(layers, stored, keep_segment):
    stored = list(stored)
    if not stored or stored[0] != 0 or layers < 1:
        raise ValueError(f"{layers} layers, stored {stored}")
    for i in range(1, len(stored)):
        if stored[i] <= stored[i - 1]:
            raise ValueError(f"{stored} does not increase")
    if stored[-1] >= layers:
        raise ValueError(f"there is no layer {stored[-1]}")
    held = [i in stored for i in range(layers)]
    most, runs = sum(held), 0
    for layer in range(layers - 1, -1, -1):
        start = layer
        while not held[start]:
            start -= 1
        for i in range(start, layer):
            held[i + 1] = True
            runs += 1
            most = max(most, sum(held))
            if not keep_segment and i != start:
                held[i] = False
        held[layer] = False
    return {"activations": most, "recomputed_layers": runs}
