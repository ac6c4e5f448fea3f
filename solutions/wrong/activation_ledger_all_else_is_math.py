"""activation_ledger: every word but flash means math

Breaks: `attention` is another word
"""

_block = block_activations


def block_activations(**options):
    options["attention"] = "flash" if options["attention"] == "flash" else "math"
    return _block(**options)
