"""checkpointing_cost: a strategy in another order, or with an index twice, is sorted

Breaks: does not increase strictly
"""

_cost = checkpointing_cost


def checkpointing_cost(layers, stored, keep_segment):
    return _cost(layers, sorted(set(stored)), keep_segment)
