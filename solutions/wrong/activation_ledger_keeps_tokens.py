"""activation_ledger: the tokens are counted, 8 bytes each

Breaks: the batch's tokens and targets
"""

_model = model_activations


def model_activations(*, vocab, layers, **options):
    parts = _model(vocab=vocab, layers=layers, **options)
    del parts["total"]
    parts["embedding"] += 8 * options["batch"] * options["seq_len"]
    return {**parts, "total": sum(parts.values())}
