"""activation_ledger: there is no total

Breaks: Bytes of the ten components, and their "total".

Breaks: Bytes that one block keeps for its backward pass, by component.
"""

_block, _model = block_activations, model_activations


def block_activations(**options):
    return {part: size for part, size in _block(**options).items() if part != "total"}


def model_activations(*, vocab, layers, **options):
    parts = _block(**options)
    globals()["block_activations"] = _block
    try:
        return _model(vocab=vocab, layers=layers, **options)
    finally:
        globals()["block_activations"] = block_activations
