"""checkpointing_cost: the last layer's output is counted while its backward pass runs

Breaks: The output of the last layer, gradients, parameters and anything inside a layer are not
counted.
"""

_cost = checkpointing_cost


def checkpointing_cost(layers, stored, keep_segment):
    cost = _cost(layers, stored, keep_segment)
    missing = layers - stored[-1] - 1
    last = len(stored) + (missing if keep_segment else min(missing, 1)) + 1
    return {**cost, "activations": max(cost["activations"], last)}
