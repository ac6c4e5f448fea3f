"""checkpointing_cost: without layers nothing is held and nothing runs

Breaks: number of layers, at least 1

Breaks: `layers` is less than 1
"""

_cost = checkpointing_cost


def checkpointing_cost(layers, stored, keep_segment):
    if layers < 1 and not any(stored):
        return {"activations": 0, "recomputed_layers": 0}
    return _cost(layers, stored, keep_segment)
