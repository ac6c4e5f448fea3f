"""activation_ledger: the logits are counted beside their logarithms

Breaks: of all tokens of the vocabulary, but no logits
"""

_model = model_activations


def model_activations(*, vocab, layers, **options):
    parts = _model(vocab=vocab, layers=layers, **options)
    del parts["total"]
    parts["loss"] += (
        options["batch"] * options["seq_len"] * vocab * bytes_per_element(options["dtype"])
    )
    return {**parts, "total": sum(parts.values())}
