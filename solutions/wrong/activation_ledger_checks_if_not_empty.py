"""activation_ledger: nothing is refused for an empty batch

Breaks: `heads` is less than 1 or does not divide `d_model`
"""

_block = block_activations


def block_activations(**options):
    if options["batch"] == 0:
        options["heads"] = 1
    return _block(**options)
