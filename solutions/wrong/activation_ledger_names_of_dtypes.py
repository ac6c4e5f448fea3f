"""activation_ledger: a dtype's name is accepted

Breaks: `dtype` is not a `torch.dtype`
"""

_block = block_activations


def block_activations(**options):
    if isinstance(options["dtype"], str):
        options["dtype"] = getattr(torch, options["dtype"])
    return _block(**options)
