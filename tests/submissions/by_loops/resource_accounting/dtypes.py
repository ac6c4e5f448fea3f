"""Bytes, by tables and loops."""

import torch

WIDTHS = {
    1: "bool int8 uint8 qint8 quint8 bits8 bits1x8 bits2x4 bits4x2 float8_e4m3fn float8_e5m2 "
    "float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn_x2",
    2: "int16 uint16 float16 bfloat16 bits16",
    4: "int32 uint32 float32 qint32 complex32",
    8: "int64 uint64 float64 complex64",
    16: "complex128",
}


def bytes_per_element(dtype):
    if type(dtype) is not torch.dtype:
        raise TypeError(f"expected a torch.dtype, got {dtype!r}")
    name = str(dtype).split(".")[1]
    for width, names in WIDTHS.items():
        for known in names.split():
            if known == name:
                return width
    raise ValueError(f"no whole number of bytes: {name}")


def tensor_bytes(shape, dtype):
    total = bytes_per_element(dtype)
    for size in shape:
        if size < 0:
            raise ValueError(f"negative size in {shape}")
        total *= size
    return total


def storage_bytes(tensors):
    seen = []
    total = 0
    for tensor in tensors:
        if tensor.device.type == "meta":
            continue
        storage = tensor.untyped_storage()
        known = False
        for other in seen:
            if other.data_ptr() == storage.data_ptr():
                known = True
        if not known:
            seen.append(storage)
            total += len(storage)
    return total


def bits_per_element(element_bits, block_size, scale_bits):
    if element_bits <= 0 or block_size <= 0 or scale_bits < 0:
        raise ValueError("no such block")
    bits = scale_bits
    for _ in range(block_size):
        bits += element_bits
    return bits / block_size


def block_scaled_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits=0):
    bits_per_element(element_bits, block_size, scale_bits)
    if tensor_scale_bits < 0:
        raise ValueError("a scale of a negative number of bits")
    sizes = list(shape)
    if not sizes:
        sizes = [1]
    rows = 1
    for size in sizes:
        if size < 0:
            raise ValueError("a negative size")
    for size in sizes[:-1]:
        rows *= size
    blocks, rest = divmod(sizes[-1], block_size)
    if rest:
        blocks += 1
    total = 0
    for bits in (
        rows * sizes[-1] * element_bits,
        rows * blocks * scale_bits,
        tensor_scale_bits,
    ):
        whole, rest = divmod(bits, 8)
        total += whole
        if rest:
            total += 1
    return total
