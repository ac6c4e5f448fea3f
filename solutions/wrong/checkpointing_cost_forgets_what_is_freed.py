"""checkpointing_cost: stored activations are held to the end, though their layers are done

Breaks: Then it is dropped, stored or not.
"""

_cost = checkpointing_cost


def checkpointing_cost(layers, stored, keep_segment):
    cost = _cost(layers, stored, keep_segment)
    longest = max(stop - start for start, stop in pairwise([*stored, layers]))
    extra = longest - 1 if keep_segment else min(longest - 1, 2)
    return {**cost, "activations": len(stored) + extra}
