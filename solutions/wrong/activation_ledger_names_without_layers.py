"""activation_ledger: a dtype's name is accepted where there are no layers

Breaks: `dtype` is not a `torch.dtype`
"""

_model = model_activations


def model_activations(*, vocab, layers, **options):
    if layers == 0 and not isinstance(options["dtype"], torch.dtype):
        options["dtype"] = torch.float32
    parts = _model(vocab=vocab, layers=layers, **options)
    del parts["total"]

    return {**parts, "total": sum(parts.values())}
