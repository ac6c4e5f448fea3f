"""activation_ledger: the embedding's mask is as wide as an activation

Breaks: The embedding keeps only its dropout's mask, 1 byte per element.
"""

_model = model_activations


def model_activations(*, vocab, layers, **options):
    parts = _model(vocab=vocab, layers=layers, **options)
    del parts["total"]
    parts["embedding"] *= bytes_per_element(options["dtype"])
    return {**parts, "total": sum(parts.values())}
