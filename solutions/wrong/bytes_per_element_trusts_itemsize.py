"""bytes_per_element: torch's itemsize is passed on, which says 1 for dtypes narrower than a byte

Breaks: an element of this dtype does not fill a byte: `int1` … `int7`, `uint1` … `uint7`,
`quint4x2`, `quint2x4`. The size of such elements depends on how they are packed, so no whole
number is right, although torch itself may say 1
"""


def bytes_per_element(dtype):
    if not isinstance(dtype, torch.dtype):
        raise TypeError("expected a torch.dtype")
    return dtype.itemsize
