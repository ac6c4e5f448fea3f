"""collective_bytes: accepts torch.distributed's longer names by startswith

Breaks: `collective` is another name
"""


def collective_bytes(collective: str, elements: int, devices: int, dtype: torch.dtype) -> int:
    size = bytes_per_element(dtype)
    if not collective.startswith(("reduce_scatter", "all_gather", "all_reduce", "broadcast")):
        raise ValueError(collective)
    if elements < 0 or devices < 1:
        raise ValueError("elements or devices")
    if collective.startswith("broadcast"):
        return elements * size if devices > 1 else 0
    chunk = -(-elements // devices)
    rounds = 2 if collective.startswith("all_reduce") else 1
    return rounds * (devices - 1) * chunk * size
