"""Communication: bytes on the wire of parallel training, and whether compute hides them.

Devices form a ring. In each step of a collective operation, every device sends one chunk to the
next device and receives one from the device before, both at the same time. So each device receives
as many bytes as it sends, and only sent bytes are counted.

Counts of bytes are exact Python ints. There is at least one device. `peak_flops` is a device's
FLOP/s, and `bandwidth` the B/s of its link in one direction; both are more than 0.
"""

from __future__ import annotations

import math

import torch

from .dtypes import bytes_per_element


def collective_bytes(collective: str, elements: int, devices: int, dtype: torch.dtype) -> int:
    """Bytes that each device sends in a collective operation on a ring.

    All but broadcast cut the buffer into one chunk for each device. All chunks have
    ceil(elements / devices) elements: an element is never split, and padding is sent like anything
    else. With n devices:

    - "reduce_scatter" takes n - 1 steps. At first each device holds a whole buffer, at the end one
      chunk of the sum of all buffers.
    - "all_gather" takes n - 1 steps. At first each device holds one chunk, at the end all of them.
    - "all_reduce" is a reduce-scatter, then an all-gather. At the end each device holds the sum.
    - "broadcast" passes one device's buffer on around the ring, whole and without padding. The last
      device passes nothing on; the result is what each of the others sends.

    Args:
        collective: one of these four names.
        elements: elements of the whole buffer, not of one chunk.
        devices: number of devices in the ring.
        dtype: dtype of the buffer.

    Returns:
        Bytes; 0 on one device.

    The gradients of 7.5B parameters in bf16 on 64 devices, nearly twice their 15 GB:

        collective_bytes("all_reduce", 7_500_000_000, 64, torch.bfloat16)  # 29_531_250_000

    Source: Patarasuk & Yuan, "Bandwidth Optimal All-reduce Algorithms", 2009.
    """
    each = bytes_per_element(dtype)
    if collective == "broadcast":
        return elements * each if devices > 1 else 0
    rounds = 2 if collective == "all_reduce" else 1
    chunk = -(-elements // devices) * each
    return rounds * (devices - 1) * chunk


def zero_traffic(
    parameters: int,
    devices: int,
    stage: int,
    parameter_dtype: torch.dtype,
    gradient_dtype: torch.dtype,
    micro_batches: int = 1,
) -> dict[str, int]:
    """Bytes that each device sends in one training step under ZeRO, by what is sent.

    | stage | for each micro-batch                          | once a step                    |
    |-------|-----------------------------------------------|--------------------------------|
    | 0     |                                               | all-reduce gradients           |
    | 1     |                                               | reduce-scatter gradients,      |
    |       |                                               | all-gather parameters          |
    | 2     | reduce-scatter gradients                      | all-gather parameters          |
    | 3     | all-gather parameters forward, and again      |                                |
    |       | backward, reduce-scatter gradients            |                                |

    Stage 0 is plain data parallel. At stages 0 and 1 a device has room for all gradients, so it
    adds up those of its micro-batches before it sends them. From stage 2 on it holds only its shard
    of the sum. All parameters are one buffer, and so are all gradients; `collective_bytes` counts.

    Args:
        parameters: number of parameters of the model.
        devices: number of devices in the ring.
        stage: 0, 1, 2 or 3.
        parameter_dtype, gradient_dtype: in which parameters and gradients are sent.
        micro_batches: in how many parts each device processes its share of the batch, at least 1.

    Returns:
        Bytes of "gradients" and "parameters", and their sum, "total".

    With 7.5B parameters in bf16 on 64 devices, each sends 29.5 GB at stages 0 to 2, and at stage 3:

        bf16 = torch.bfloat16
        zero_traffic(7_500_000_000, 64, 3, bf16, bf16)["total"]  # 44_296_875_000

    Source: Rajbhandari et al., "ZeRO", 2020, section 7, where the volumes are 2Ψ and 3Ψ elements.
    """
    gathered = collective_bytes("all_gather", parameters, devices, parameter_dtype)
    scattered = collective_bytes("reduce_scatter", parameters, devices, gradient_dtype)
    gradients = scattered * [2, 1, micro_batches, micro_batches][stage]
    all_parameters = gathered * [0, 1, 1, 2 * micro_batches][stage]
    return {
        "gradients": gradients,
        "parameters": all_parameters,
        "total": gradients + all_parameters,
    }


def tensor_parallel_traffic(
    tokens: int, width: int, layers: int, devices: int, dtype: torch.dtype
) -> int:
    """Bytes that each device sends in one training step of a transformer under tensor parallelism.

    The devices split every matrix and work on the same tokens. In each layer, attention and
    feed-forward both end with partial sums, one from each device: an all-reduce of tokens × width
    activations. The backward pass has two more, of as many gradients. So a layer takes four; the
    embedding and the loss are not counted.

    Args:
        tokens: tokens that the devices process together in the step.
        width: features of each token.
        devices: number of devices that split each layer.
        dtype: dtype of activations and their gradients.

    16,384 tokens, width 4096, 32 layers in bf16 on 8 devices, 30 GB:

        tensor_parallel_traffic(16_384, 4096, 32, 8, torch.bfloat16)  # 30_064_771_072

    Source: Shoeybi et al., "Megatron-LM", 2019, figure 4.
    """
    return 4 * layers * collective_bytes("all_reduce", tokens * width, devices, dtype)


def step_seconds(
    tokens: int, parameters: int, sent_bytes: int, peak_flops: float, bandwidth: float
) -> dict[str, float]:
    """Seconds that a training step takes on each device, with and without overlap of its traffic.

    Args:
        tokens: tokens that one device processes in the step, in all micro-batches together.
        parameters: number of parameters of the model; each token takes 6 FLOPs for each of them.
        sent_bytes: bytes that the device sends in the step.

    Returns:
        Seconds of "compute" and of "communication". "overlapped", the step's time if both run at
        the same time from start to end: the longer of the two. "sequential", if they never do:
        their sum.

    8e9 parameters at ZeRO stage 3 on 8 H100 with NVLink, 4096 tokens a device:

        step_seconds(4096, 8 * 10**9, 42 * 10**9, 989.5e12, 450e9)["overlapped"]  # 0.1987
    """
    compute, communication = 6 * parameters * tokens / peak_flops, sent_bytes / bandwidth
    return {
        "compute": compute,
        "communication": communication,
        "overlapped": max(compute, communication),
        "sequential": compute + communication,
    }


def hiding_tokens(parameters: int, sent_bytes: int, peak_flops: float, bandwidth: float) -> int:
    """The fewest tokens per device for which compute takes at least as long as communication.

    From there on, communication can hide behind compute. `sent_bytes` does not depend on the
    tokens, as under ZeRO.

    Args:
        parameters, sent_bytes: as for `step_seconds`, at least 1 parameter.

    Returns:
        Tokens; 0 if nothing is sent.

    8e9 parameters at ZeRO stage 3 on 8 H100 with NVLink:

        hiding_tokens(8 * 10**9, 42 * 10**9, 989.5e12, 450e9)  # 1925
    """
    return math.ceil(sent_bytes / bandwidth * peak_flops / (6 * parameters))


def mesh_traffic(
    tokens: int,
    parameters: int,
    layers: int,
    width: int,
    data: int,
    tensor: int,
    dtype: torch.dtype,
) -> dict[str, int]:
    """Bytes that each device sends in one training step on a mesh of ZeRO and tensor parallelism.

    The mesh has `data` rows and `tensor` columns of devices. The rows share the batch equally; all
    devices of a row work on the row's tokens, by tensor parallelism. Each column has a share of
    ceil(parameters / tensor) parameters, on which its devices train under ZeRO stage 3, in one
    micro-batch.

    Args:
        tokens: tokens of the whole batch, a multiple of `data`.
        parameters: number of parameters of the whole model.
        layers, width: as for `tensor_parallel_traffic`.
        data, tensor: number of rows and of columns.
        dtype: in which parameters, gradients and activations are sent.

    Returns:
        Bytes that a device sends within its column, "data", and within its row, "tensor".

    8e9 parameters, 32 layers of width 4096 in bf16, 512 tokens for each of 64 devices:

        mesh_traffic(32_768, 8 * 10**9, 32, 4096, 8, 8, torch.bfloat16)
        # {"data": 5_250_000_000, "tensor": 7_516_192_768}

    Source: Austin et al., "How to Scale Your Model", 2025, part 5.
    """
    share = -(-parameters // tensor)
    return {
        "data": zero_traffic(share, data, 3, dtype, dtype)["total"],
        "tensor": tensor_parallel_traffic(tokens // data, width, layers, tensor, dtype),
    }


def largest_tensor_degree(
    parameters: int,
    layers: int,
    width: int,
    heads: int,
    dtype: torch.dtype,
    peak_flops: float,
    bandwidth: float,
) -> int:
    """The most devices on which tensor parallelism communicates no longer than it computes.

    Each device gets the same number of attention heads. Bytes and times are those of
    `tensor_parallel_traffic` and `step_seconds`. Both times are proportional to the tokens, so the
    answer does not depend on them; leave padding out. n devices share a batch: the first function
    gets the tokens of all of them, the second those of one.

    Args:
        parameters, layers, width: of the whole model, each at least 1.
        heads: attention heads of a layer, at least 1.
        dtype: dtype of activations and their gradients.

    Returns:
        The number of devices, at least 1: one device alone has nothing to send.

    8e9 parameters, 32 layers of width 4096 and 32 heads in bf16, on H100 with NVLink:

        largest_tensor_degree(8 * 10**9, 32, 4096, 32, torch.bfloat16, 989.5e12, 450e9)  # 8

    Source: Shoeybi et al., "Megatron-LM", 2019, section 3; Austin et al., 2025, part 5.
    """

    def hides(devices: int) -> bool:
        # One token for each device, so chunks are whole.
        sent = tensor_parallel_traffic(devices, width, layers, devices, dtype)
        times = step_seconds(1, parameters, sent, peak_flops, bandwidth)
        return times["communication"] <= times["compute"]

    return max(n for n in range(1, heads + 1) if heads % n == 0 and hides(n))
