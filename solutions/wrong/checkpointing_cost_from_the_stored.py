"""checkpointing_cost: each activation is computed from the stored one below it, though a nearer one is held

Breaks: If activation i is not held, it is computed again, from the nearest held activation below it
"""

_cost = checkpointing_cost


def checkpointing_cost(layers, stored, keep_segment):
    again = _cost(layers, stored, False)["recomputed_layers"]
    return {**_cost(layers, stored, keep_segment), "recomputed_layers": again}
