"""zero_traffic: chunks of fewer than 10**18 activations are rounded up from a float quotient

Breaks: Bytes that each device sends in one training step of a transformer under tensor
parallelism.
"""


def tensor_parallel_traffic(
    tokens: int, width: int, layers: int, devices: int, dtype: torch.dtype
) -> int:
    if min(tokens, width, layers) < 0:
        raise ValueError("a size is negative")
    size = bytes_per_element(dtype)
    if devices < 1:
        raise ValueError("no devices")
    elements = tokens * width
    if elements < 10**18:  # floats are good enough
        chunk = math.ceil(elements / devices)
    else:
        chunk = (elements + devices - 1) // devices
    return 8 * layers * (devices - 1) * chunk * size
