"""zero_traffic: the share (n - 1) / n of all bytes, as in the paper's formula

Breaks: All parameters are one buffer, and so are all gradients

Breaks: `collective_bytes` counts
"""

_right_traffic = zero_traffic


def zero_traffic(parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches=1):
    sent = _right_traffic(
        parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches
    )
    shard = -(-parameters // devices) * (devices - 1)
    for what in ("gradients", "parameters"):
        if shard:
            sent[what] = sent[what] // shard * parameters * (devices - 1) // devices
    sent["total"] = sent["gradients"] + sent["parameters"]
    return sent
