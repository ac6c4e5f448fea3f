"""activation_memory: the layers are forgotten, as if one activation were held at a time

Breaks: Bytes of the activations that a deep linear network keeps for its backward pass.

Breaks: Each layer keeps its input, a batch × width tensor.
"""


def activation_bytes(batch, width, layers, dtype):
    return tensor_bytes((batch, width), dtype) if tensor_bytes((layers,), dtype) else 0
