"""checkpointing_cost: the last segment's activations are still held when the backward pass begins

Breaks: After the forward pass only the activations in `stored` are held.
"""

_cost = checkpointing_cost


def checkpointing_cost(layers, stored, keep_segment):
    _cost(layers, stored, keep_segment)
    below = _cost(stored[-1], stored[:-1], keep_segment) if len(stored) > 1 else {}
    return {
        "activations": max(below.get("activations", 0), len(stored) + layers - stored[-1] - 1),
        "recomputed_layers": below.get("recomputed_layers", 0),
    }
