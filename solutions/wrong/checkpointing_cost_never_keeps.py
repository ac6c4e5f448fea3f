"""checkpointing_cost: keep_segment is ignored, nothing that is computed again stays

Breaks: With `keep_segment` all of them are kept.
"""

_cost = checkpointing_cost


def checkpointing_cost(layers, stored, keep_segment):
    return _cost(layers, stored, False)
