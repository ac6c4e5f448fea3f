"""checkpointing_cost: the last layer of a segment runs again too, though nobody needs its output

Breaks: the layers in between run forward
"""

_cost = checkpointing_cost


def checkpointing_cost(layers, stored, keep_segment):
    cost = _cost(layers, stored, keep_segment)
    if keep_segment:
        cost["recomputed_layers"] = sum(
            stop - start for start, stop in pairwise([*stored, layers]) if stop - start > 1
        )
    return cost
