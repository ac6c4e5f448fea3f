"""bytes_per_element: finfo gives the bits, which for a complex number are those of its real part

Breaks: One element of `torch.complex64` is two float32 numbers, 8 bytes
"""


def bytes_per_element(dtype):
    if dtype.is_floating_point or dtype.is_complex:
        return torch.finfo(dtype).bits // 8
    return dtype.itemsize
