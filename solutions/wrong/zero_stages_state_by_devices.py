"""zero_stages (core): the first three stages keep everything, and the last one shards everything

Breaks: Each stage of ZeRO shards one part more
"""


def zero_bytes(parameters, devices, stage, recipe):
    if stage not in range(4) or devices < 1:
        raise ValueError(f"expected stage 0 to 3 and devices, got {stage} and {devices}")
    total = training_state(parameters, recipe)["total"]
    return -(-total // devices) if stage == 3 else total
