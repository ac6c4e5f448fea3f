"""activation_ledger: a negative number of layers counts 0

Breaks: `layers` is negative
"""

_model = model_activations


def model_activations(*, vocab, layers, **options):
    layers = max(layers, 0)
    parts = _model(vocab=vocab, layers=layers, **options)
    del parts["total"]

    return {**parts, "total": sum(parts.values())}
