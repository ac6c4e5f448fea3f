"""activation_ledger: elements of less than a byte count as bytes

Breaks: the dtype's elements are not a whole number of bytes
"""

_block = block_activations


def block_activations(**options):
    dtype = options["dtype"]
    if isinstance(dtype, torch.dtype) and (
        "quint" in str(dtype) or str(dtype)[-1] in "1234567" and "uint" in str(dtype)
    ):
        if str(dtype) not in ("torch.uint16", "torch.uint32", "torch.uint64"):
            options["dtype"] = torch.uint8
    return _block(**options)
