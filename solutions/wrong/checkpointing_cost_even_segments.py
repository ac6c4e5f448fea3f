"""checkpointing_cost (core): the formulas for segments of even length, whatever is stored

Breaks: Activation i is the input of layer i; activation 0 is the network's input. After the forward
pass only the activations in `stored` are held.
"""


def checkpointing_cost(layers, stored, keep_segment):
    pairs = pairwise([*stored, layers])
    if list(stored[:1]) != [0] or any(a >= b for a, b in pairs):
        raise ValueError("no strategy")
    count = len(stored)
    missing = -(-layers // count) - 1
    if keep_segment:
        return {"activations": count + missing, "recomputed_layers": layers - count}
    runs = count * missing * (missing + 1) // 2
    return {"activations": count + min(missing, 2), "recomputed_layers": runs}
