"""activation_ledger: one block is counted

Breaks: "blocks" (all of them)

Breaks: Bytes that the whole model keeps for its backward pass, by component.
"""

_model = model_activations


def model_activations(*, vocab, layers, **options):
    parts = _model(vocab=vocab, layers=layers, **options)
    del parts["total"]
    parts["blocks"] //= max(layers, 1)
    return {**parts, "total": sum(parts.values())}
