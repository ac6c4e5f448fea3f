"""activation_ledger: the lm_head keeps its output

Breaks: and the lm_head its input

Breaks: but no logits
"""

_model = model_activations


def model_activations(*, vocab, layers, **options):
    parts = _model(vocab=vocab, layers=layers, **options)
    del parts["total"]
    parts["lm_head"] = (
        options["batch"] * options["seq_len"] * vocab * bytes_per_element(options["dtype"])
    )
    return {**parts, "total": sum(parts.values())}
