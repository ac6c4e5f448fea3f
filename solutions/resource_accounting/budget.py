"""Budget: will it fit? The bytes of a training run, counted before it starts.

A recipe gives the dtypes of all copies that a training run keeps of each parameter, by part:

    {
        "parameters": [torch.bfloat16],
        "gradients": [torch.bfloat16],
        "master": [],  # a second copy of the parameters in higher precision, if any
        "optimizer": [torch.float32, torch.float32],  # AdamW's two moments
    }

All results are exact Python ints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

import torch

from .dtypes import bytes_per_element, tensor_bytes

Recipe: TypeAlias = Mapping[str, Sequence[torch.dtype]]

# The parts of a recipe, with the first ZeRO stage that shards each of them.
_SHARDED_FROM = {"parameters": 3, "gradients": 2, "master": 1, "optimizer": 1}


def bytes_per_parameter(recipe: Recipe) -> int:
    """Bytes that a training run keeps for each parameter, all copies of all parts together.

    Args:
        recipe: the dtypes of every copy, for exactly the parts "parameters", "gradients", "master"
            and "optimizer". A part that is not kept is an empty list.

    Raises:
        ValueError: a part is missing or unknown; the message names it.

    The recipe above keeps 2 + 2 + (4 + 4) bytes:

        bytes_per_parameter(recipe)  # 12
    """
    if wrong := set(recipe) ^ set(_SHARDED_FROM):
        raise ValueError(f"missing or unknown parts of the recipe: {', '.join(sorted(wrong))}")
    return sum(_bytes_by_part(recipe).values())


def training_state(parameters: int, recipe: Recipe) -> dict[str, int]:
    """Bytes that a training run keeps for a model, part by part, without activations.

    Args:
        parameters: number of parameters of the model.
        recipe: the dtypes of every copy, as for `bytes_per_parameter`.

    Returns:
        Bytes of "parameters", "gradients", "master" and "optimizer", and their sum, "total".

    The moments of 70B parameters in the recipe above take 560 GB:

        training_state(70 * 10**9, recipe)["optimizer"]  # 560_000_000_000
    """
    state = {part: parameters * each for part, each in _bytes_by_part(recipe).items()}
    return {**state, "total": sum(state.values())}


def largest_model(devices: int, device_bytes: int, recipe: Recipe) -> int:
    """The largest number of parameters whose training state fits on all devices together.

    The memory of all devices counts as one pool: everything is sharded, nothing is kept twice,
    and no byte is left over on a device. Activations, buffers and fragmentation are not counted, so
    this is an upper bound.

    Args:
        devices: number of devices, at least 1.
        device_bytes: memory of each device, in bytes; an 80 GB device has 80e9.
        recipe: the dtypes of every copy, as for `bytes_per_parameter`; at least one copy.

    Stanford CS336's lecture 2, 8 devices of 80 GB, in the recipe above:

        largest_model(8, 80 * 10**9, recipe)  # 53_333_333_333
    """
    return devices * device_bytes // bytes_per_parameter(recipe)


def zero_bytes(parameters: int, devices: int, stage: int, recipe: Recipe) -> int:
    """Bytes of training state on one device under ZeRO; on the fullest device if they differ.

    Data parallelism keeps everything on every device. Each stage of ZeRO shards one part more:

    | stage | every device holds all of       | sharded among the devices     |
    |-------|---------------------------------|-------------------------------|
    | 0     | everything                      |                               |
    | 1     | parameters, gradients           | optimizer, master             |
    | 2     | parameters                      | optimizer, master, gradients  |
    | 3     |                                 | everything                    |

    A parameter is never split. If the devices cannot get equal shares, the fullest device holds
    ceil(parameters / devices) parameters of each sharded part.

    Args:
        parameters: number of parameters of the model.
        devices: number of devices that share the model, at least 1.
        stage: 0, 1, 2 or 3.
        recipe: the dtypes of every copy, as for `bytes_per_parameter`.

    Source: Rajbhandari et al., "ZeRO", 2020, figure 1: 7.5B parameters, 64 devices, bf16 parameters
    and gradients, and K = 12 bytes in fp32 (a master copy and two moments). At stage 1, 31.4 GB:

        zero_bytes(7_500_000_000, 64, 1, recipe)  # 31_406_250_000
    """
    share = -(-parameters // devices)
    return sum(
        each * (share if stage >= _SHARDED_FROM[part] else parameters)
        for part, each in _bytes_by_part(recipe).items()
    )


def _bytes_by_part(recipe: Recipe) -> dict[str, int]:
    return {part: sum(map(bytes_per_element, recipe[part])) for part in _SHARDED_FROM}


def activation_bytes(batch: int, width: int, layers: int, dtype: torch.dtype) -> int:
    """Bytes of the activations that a deep linear network keeps for its backward pass.

    Each layer keeps its input, a batch × width tensor. What happens inside a layer is not counted.

    A batch of 64, width 1024, 16 layers in bf16, 2 MiB:

        activation_bytes(64, 1024, 16, torch.bfloat16)  # 2_097_152
    """
    return tensor_bytes((layers, batch, width), dtype)


def micro_batch_size(batch: int, width: int, layers: int, dtype: torch.dtype, budget: int) -> int:
    """The largest micro-batch whose activations fit into a budget.

    With gradient accumulation a batch is processed in micro-batches of equal size, one after the
    other, so that only one micro-batch's activations are held at a time.

    Args:
        batch: rows of the whole batch, 1 to 10,000.
        width, layers, dtype: as for `activation_bytes`.
        budget: bytes that the activations may take, as `activation_bytes` counts them.

    Returns:
        The largest divisor of `batch` whose activations take at most `budget` bytes.

    Raises:
        ValueError: not even one row fits.

    A quarter of the bytes above fits a micro-batch of 16:

        micro_batch_size(64, 1024, 16, torch.bfloat16, 524_288)  # 16
    """
    row = activation_bytes(1, width, layers, dtype)
    if row > budget:
        raise ValueError(f"expected a budget of at least {row} bytes, for one row, got {budget}")
    steps = -(-batch * row // budget) if row else 1  # at least so many micro-batches
    while batch % steps:
        steps += 1
    return batch // steps


def checkpointing_cost(layers: int, stored: Sequence[int], keep_segment: bool) -> dict[str, int]:
    """The cost of a strategy of activation checkpointing: activations held, and layers run again.

    Activation i is the input of layer i; activation 0 is the network's input. After the forward
    pass only the activations in `stored` are held. The backward pass goes through the layers i from
    the last to the first, and takes two steps at each:

    1. If activation i is not held, it is computed again, from the nearest held activation below it:
       the layers in between run forward. Each turns its input into its output, the next activation,
       and at that moment both are held. With `keep_segment` all of them are kept. Without it, each
       of these inputs that is not in `stored` is dropped as soon as the next activation is
       computed.
    2. The backward pass of layer i uses activation i. Then it is dropped, stored or not.

    The output of the last layer, gradients, parameters and anything inside a layer are not counted.

    Args:
        layers: number of layers, at least 1.
        stored: which activations are held after the forward pass: strictly increasing, starting
            with 0, each less than `layers`.
        keep_segment: whether recomputed activations are kept until they are used.

    Returns:
        "activations", the largest number held at any moment of the backward pass, and
        "recomputed_layers", the number of times that a layer runs forward in it.

    Sixteen layers, of which every fourth is stored, hold 7 activations and run 12 layers again:

        checkpointing_cost(16, [0, 4, 8, 12], True)

    Source: Chen et al., "Training Deep Nets with Sublinear Memory Cost", 2016.
    """
    activations = recomputed = 0
    segments = pairwise([*stored, layers])
    for held, (start, stop) in enumerate(segments, 1):  # stored activations up to this segment
        missing = stop - start - 1
        if keep_segment:
            activations = max(activations, held + missing)
            recomputed += missing
        else:
            activations = max(activations, held + min(missing, 2))
            recomputed += missing * (missing + 1) // 2
    return {"activations": activations, "recomputed_layers": recomputed}
