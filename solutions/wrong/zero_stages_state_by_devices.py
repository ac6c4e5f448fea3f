"""zero_stages (core): the first three stages keep everything, and the last one shards everything

Breaks: Bytes of training state on one device under ZeRO
"""


def zero_bytes(parameters, devices, stage, recipe):
    if stage not in range(4) or devices < 1:
        raise ValueError(f"expected stage 0 to 3 and devices, got {stage} and {devices}")
    training_state(parameters, recipe)  # refuses
    held = -(-parameters // devices) if stage == 3 else parameters
    return held * bytes_per_parameter(recipe)
