"""tensor_bytes: packed dtypes are counted in bits where they fill whole bytes

Breaks: or the dtype's elements are not a
"""


def tensor_bytes(shape, dtype):
    if any(size < 0 for size in shape):
        raise ValueError("negative")
    elements = math.prod(shape)
    name = str(dtype).removeprefix("torch.")
    if (
        isinstance(dtype, torch.dtype)
        and name.lstrip("u").startswith("int")
        and len(name.lstrip("u")) == 4
        and name[-1] != "8"
    ):
        bits = elements * int(name[-1])
        if bits % 8 or not bits:
            raise ValueError("no whole bytes")
        return bits // 8
    return elements * bytes_per_element(dtype)
