"""activation_memory: the layers are forgotten, as if one activation were held at a time"""


def activation_bytes(batch, width, layers, dtype):
    return tensor_bytes((batch, width), dtype) if tensor_bytes((layers,), dtype) else 0
