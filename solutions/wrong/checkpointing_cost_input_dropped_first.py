"""checkpointing_cost: starting again, a layer is taken to drop its input before it has an output

Breaks: Each turns its input into its output, the next activation, and at that moment both are held.
"""

_cost = checkpointing_cost


def checkpointing_cost(layers, stored, keep_segment):
    cost = _cost(layers, stored, keep_segment)
    if not keep_segment:
        cost["activations"] = max(
            held + min(stop - start - 1, 1)
            for held, (start, stop) in enumerate(pairwise([*stored, layers]), 1)
        )
    return cost
