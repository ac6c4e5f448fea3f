"""checkpointing_cost: keep_segment is ignored, what is computed again always stays"""

_cost = checkpointing_cost


def checkpointing_cost(layers, stored, keep_segment):
    return _cost(layers, stored, True)
