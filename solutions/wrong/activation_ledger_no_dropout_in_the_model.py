"""activation_ledger: the model's keys lack the loss

Breaks: Bytes of "embedding", "blocks" (all of them), "final_norm", "lm_head" and "loss", and their
"total".
"""

_model = model_activations


def model_activations(*, vocab, layers, **options):
    parts = _model(vocab=vocab, layers=layers, **options)
    del parts["total"]
    parts["lm_head"] += parts.pop("loss")
    return {**parts, "total": sum(parts.values())}
