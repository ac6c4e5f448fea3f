"""checkpointing_cost: an index beyond the last layer is left out

Breaks: names a layer that does not exist
"""

_cost = checkpointing_cost


def checkpointing_cost(layers, stored, keep_segment):
    return _cost(layers, [i for i in stored if i < layers], keep_segment)
