"""bytes_per_element: one of the packed quantized dtypes is forgotten

Breaks: `uint7`, `quint4x2`, `quint2x4`
"""

import re


def bytes_per_element(dtype):
    if not isinstance(dtype, torch.dtype):
        raise TypeError("expected a torch.dtype")
    if re.fullmatch(r"torch\.(u?int[1-7]|quint4x2)", str(dtype)):
        raise ValueError("an element does not fill a byte")
    return dtype.itemsize
