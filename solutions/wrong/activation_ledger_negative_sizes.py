"""activation_ledger: negative sizes are accepted and counted

Breaks: a size is negative
"""

_block = block_activations


def block_activations(**options):
    for size in ("batch", "seq_len", "d_model", "d_ff"):
        if options[size] < 0:
            _block(**options | {size: 0})
            return dict.fromkeys(_block(**options | {size: 0}), 0)
    return _block(**options)
