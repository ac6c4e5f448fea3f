"""activation_ledger: the embedding keeps its output, which the first norm keeps

Breaks: The embedding keeps only its dropout's mask, 1 byte per element.

Breaks: an embedding of tokens and one of positions, blocks with the norm first, a final norm, and
an lm_head that shares the embedding's matrix
"""

_model = model_activations


def model_activations(*, vocab, layers, **options):
    parts = _model(vocab=vocab, layers=layers, **options)
    del parts["total"]
    parts["embedding"] += parts["lm_head"]
    return {**parts, "total": sum(parts.values())}
