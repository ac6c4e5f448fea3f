"""activation_memory: sizes are checked by their product, so that two negative ones pass

Breaks: a size is negative
"""


def activation_bytes(batch, width, layers, dtype):
    elements = batch * width * layers
    if elements < 0:
        raise ValueError("negative")
    return tensor_bytes((elements,), dtype)
