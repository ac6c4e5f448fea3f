"""zero_traffic: checks that the stage is between 0 and 3, so 2.5 passes

Breaks: `stage` is not 0, 1, 2 or 3
"""


def zero_traffic(
    parameters: int,
    devices: int,
    stage: int,
    parameter_dtype: torch.dtype,
    gradient_dtype: torch.dtype,
    micro_batches: int = 1,
) -> dict[str, int]:
    if not 0 <= stage <= 3:
        raise ValueError("stage")
    if micro_batches < 1:
        raise ValueError("micro_batches")
    gather = collective_bytes("all_gather", parameters, devices, parameter_dtype)
    scatter = collective_bytes("reduce_scatter", parameters, devices, gradient_dtype)
    scatters = 2 if stage == 0 else 1 if stage == 1 else micro_batches
    gathers = 0 if stage == 0 else 1 if stage < 3 else 2 * micro_batches
    gradients, values = scatters * scatter, gathers * gather
    return {"gradients": gradients, "parameters": values, "total": gradients + values}
