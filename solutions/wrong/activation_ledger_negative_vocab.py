"""activation_ledger: a negative vocabulary counts 0

Breaks: `vocab` or `layers` is negative
"""

_model = model_activations


def model_activations(*, vocab, layers, **options):
    vocab = max(vocab, 0)
    parts = _model(vocab=vocab, layers=layers, **options)
    del parts["total"]

    return {**parts, "total": sum(parts.values())}
