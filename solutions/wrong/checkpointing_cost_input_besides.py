"""checkpointing_cost: activation 0 is taken for the first layer's output, so the network's input comes on top

Breaks: Activation i is the input of layer i; activation 0 is the network's input.
"""

_cost = checkpointing_cost


def checkpointing_cost(layers, stored, keep_segment):
    cost = _cost(layers, stored, keep_segment)
    return {**cost, "activations": cost["activations"] + 1}
