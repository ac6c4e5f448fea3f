"""checkpointing_cost: the number of layers is appended to the caller's list"""

_right_cost = checkpointing_cost


def checkpointing_cost(layers, stored, keep_segment):
    result = _right_cost(layers, list(stored), keep_segment)
    if isinstance(stored, list):
        stored.append(layers)
    return result
