"""bytes_per_element: every name that ends in NxM is refused, also where the group fills a byte

Breaks: Likewise, one element of `bits1x8`, `bits2x4` and `bits4x2` is a group that fills a byte
"""

import re


def bytes_per_element(dtype):
    if not isinstance(dtype, torch.dtype):
        raise TypeError("expected a torch.dtype")
    if re.search(r"int[1-7]$|[248]x[248]$|1x8$", str(dtype)):
        raise ValueError("an element does not fill a byte")
    return dtype.itemsize
