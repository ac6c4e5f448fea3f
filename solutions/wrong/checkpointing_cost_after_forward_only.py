"""checkpointing_cost: only what is stored is counted, not what is computed again

Breaks: The cost of a strategy of activation checkpointing: activations held, and layers run again.

Breaks: "activations", the largest number held at any moment of the backward pass, and
"recomputed_layers"
"""

_cost = checkpointing_cost


def checkpointing_cost(layers, stored, keep_segment):
    return {**_cost(layers, stored, keep_segment), "activations": len(stored)}
