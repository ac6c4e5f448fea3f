"""activation_ledger: the final norm keeps its input alone

Breaks: The final norm keeps what a block's norm does
"""

_model = model_activations


def model_activations(*, vocab, layers, **options):
    parts = _model(vocab=vocab, layers=layers, **options)
    del parts["total"]
    parts["final_norm"] = parts["lm_head"]
    return {**parts, "total": sum(parts.values())}
