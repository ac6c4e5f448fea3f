"""checkpointing_cost: the indices are compared with a sorted list, which no tuple equals"""

_right_checkpointing_cost = checkpointing_cost


def checkpointing_cost(layers, stored, keep_segment):
    if stored != sorted(set(stored)):
        raise ValueError("expected indices that increase")
    return _right_checkpointing_cost(layers, stored, keep_segment)
