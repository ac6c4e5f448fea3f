"""activation_ledger: without layers the block's options are not checked

Breaks: or `block_activations` raises it
"""

_model = model_activations


def model_activations(*, vocab, layers, **options):
    if layers == 0 and vocab >= 0:
        try:
            block_activations(**options)
        except ValueError:
            return dict.fromkeys(
                ("embedding", "blocks", "final_norm", "lm_head", "loss", "total"), 0
            )
    parts = _model(vocab=vocab, layers=layers, **options)
    del parts["total"]

    return {**parts, "total": sum(parts.values())}
