"""activation_ledger: attention's word may have capitals

Breaks: `attention` is another word
"""

_block = block_activations


def block_activations(**options):
    options["attention"] = options["attention"].lower()
    return _block(**options)
