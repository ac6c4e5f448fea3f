"""collective_bytes: takes what has an itemsize as a dtype: numpy's dtypes

Breaks: `dtype` is not a `torch.dtype`.
"""


def collective_bytes(collective: str, elements: int, devices: int, dtype: torch.dtype) -> int:
    if not hasattr(dtype, "itemsize"):
        raise TypeError("no dtype")
    size = dtype.itemsize
    if isinstance(dtype, torch.dtype):
        size = bytes_per_element(dtype)
    if collective not in ("reduce_scatter", "all_gather", "all_reduce", "broadcast"):
        raise ValueError(collective)
    if elements < 0 or devices < 1:
        raise ValueError("elements or devices")
    if collective == "broadcast":
        return elements * size if devices > 1 else 0
    chunk = -(-elements // devices)
    rounds = 2 if collective == "all_reduce" else 1
    return rounds * (devices - 1) * chunk * size
