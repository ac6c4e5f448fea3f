"""checkpointing_cost: an input that is missing from the strategy is added

Breaks: strictly increasing, starting with 0

Breaks: `stored` is empty, does not start with 0
"""

_cost = checkpointing_cost


def checkpointing_cost(layers, stored, keep_segment):
    return _cost(layers, stored if 0 in stored else [0, *stored], keep_segment)
