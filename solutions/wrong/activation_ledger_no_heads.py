"""activation_ledger: 0 heads are taken for one

Breaks: `heads` is less than 1
"""

_block = block_activations


def block_activations(**options):
    if options["heads"] == 0:
        options["heads"] = 1
    return _block(**options)
