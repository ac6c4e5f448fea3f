"""Communication, step by step."""

from .dtypes import bytes_per_element


def collective_bytes(collective, elements, devices, dtype):
    width = bytes_per_element(dtype)
    if elements < 0:
        raise ValueError(f"{elements} elements")
    if devices < 1:
        raise ValueError(f"{devices} devices")
    chunk = 0 if elements == 0 else (elements - 1) // devices + 1
    around = width * chunk * (devices - 1)
    if collective == "all_reduce":
        return around + around
    if collective in ("all_gather", "reduce_scatter"):
        return around
    if collective == "broadcast":
        if devices == 1:
            return 0
        return width * elements
    raise ValueError(f"no collective {collective!r}")


def zero_traffic(parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches=1):
    gather = collective_bytes("all_gather", parameters, devices, parameter_dtype)
    scatter = collective_bytes("reduce_scatter", parameters, devices, gradient_dtype)
    if stage not in (0, 1, 2, 3):
        raise ValueError(f"stage {stage}")
    if micro_batches <= 0:
        raise ValueError(f"{micro_batches} micro-batches")
    sent = {"gradients": 0, "parameters": 0, "total": 0}
    for micro_batch in range(micro_batches):
        last = micro_batch == micro_batches - 1
        if stage == 3:
            sent["parameters"] += gather  # forward
            sent["parameters"] += gather  # backward
        if stage >= 2 or last:
            sent["gradients"] += scatter
        if last and stage == 0:
            sent["gradients"] += collective_bytes("all_gather", parameters, devices, gradient_dtype)
        if last and stage in (1, 2):
            sent["parameters"] += gather
    sent["total"] = sent["gradients"] + sent["parameters"]
    return sent


def tensor_parallel_traffic(tokens, width, layers, devices, dtype):
    for size in (tokens, width, layers):
        if size < 0:
            raise ValueError(f"a size of {size}")
    one = collective_bytes("all_reduce", tokens * width, devices, dtype)
    sent = 0
    for _ in range(layers):
        forward = one + one
        backward = one + one
        sent += forward + backward
    return sent


def step_seconds(tokens, parameters, sent_bytes, peak_flops, bandwidth):
    for count in (tokens, parameters, sent_bytes):
        if count < 0:
            raise ValueError(f"a count of {count}")
    for rate in (peak_flops, bandwidth):
        if not rate > 0:
            raise ValueError(f"a rate of {rate}")
    forward = 2 * parameters * tokens
    compute = (forward + 2 * forward) / peak_flops
    wire = sent_bytes / bandwidth
    longer = compute
    if wire > compute:
        longer = wire
    return {
        "compute": compute,
        "communication": wire,
        "overlapped": longer,
        "sequential": compute + wire,
    }


def hiding_tokens(parameters, sent_bytes, peak_flops, bandwidth):
    if parameters <= 0 or sent_bytes < 0:
        raise ValueError(f"{parameters} parameters, {sent_bytes} bytes")
    if not peak_flops > 0 or not bandwidth > 0:
        raise ValueError("no device")
    peak, peak_over = peak_flops.as_integer_ratio()
    link, link_over = bandwidth.as_integer_ratio()
    # tokens · 6 · parameters / peak ≥ sent_bytes / link, in whole numbers
    each, needed = 6 * parameters * peak_over * link, sent_bytes * link_over * peak
    low, high = -1, 1
    while high * each < needed:
        high *= 2
    while high - low > 1:  # bisection: `low` is too few, `high` is enough
        middle = (low + high) // 2
        if middle * each >= needed:
            high = middle
        else:
            low = middle
    return high


def mesh_traffic(tokens, parameters, layers, width, data, tensor, dtype):
    share = parameters // tensor
    if share * tensor < parameters:
        share += 1
    sent = {"data": 0, "tensor": 0}
    for collective in ("all_gather", "all_gather", "reduce_scatter"):
        sent["data"] += collective_bytes(collective, share, data, dtype)
    for _ in range(4 * layers):
        for collective in ("reduce_scatter", "all_gather"):
            sent["tensor"] += collective_bytes(collective, tokens // data * width, tensor, dtype)
    return sent


def largest_tensor_degree(parameters, layers, width, heads, dtype, peak_flops, bandwidth):
    largest = 1
    for devices in range(2, heads + 1):
        if heads % devices:
            continue
        tokens = 64 * devices  # in all
        wire = tensor_parallel_traffic(tokens, width, layers, devices, dtype) / bandwidth
        if wire > 6 * parameters * tokens / devices / peak_flops:
            break
        largest = devices
    return largest
