"""activation_ledger: the loss keeps one logarithm for each token of the batch

Breaks: keeps the logarithms of the probabilities of all tokens of the vocabulary
"""

_model = model_activations


def model_activations(*, vocab, layers, **options):
    parts = _model(vocab=vocab, layers=layers, **options)
    del parts["total"]
    parts["loss"] = 4 * options["batch"] * options["seq_len"]
    return {**parts, "total": sum(parts.values())}
