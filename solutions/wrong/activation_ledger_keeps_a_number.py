"""activation_ledger: the loss's sum of weights is counted

Breaks: single numbers are not counted
"""

_model = model_activations


def model_activations(*, vocab, layers, **options):
    parts = _model(vocab=vocab, layers=layers, **options)
    del parts["total"]
    parts["loss"] += 4
    return {**parts, "total": sum(parts.values())}
