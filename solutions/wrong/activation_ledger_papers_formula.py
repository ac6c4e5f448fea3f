"""activation_ledger (core): the paper's formula for 16 bits and d_ff = 4 h, cut into components

Breaks: Kept for the backward pass is what torch's autograd keeps
"""

_block, _model = block_activations, model_activations


def block_activations(**options):
    _block(**options)  # refuses what is no block
    tokens, width = options["batch"] * options["seq_len"], options["d_model"]
    sbh, scores = tokens * width, tokens * options["heads"] * options["seq_len"]
    flash, dropout = options["attention"] == "flash", options["dropout"]
    parts = {
        **{"norms": 4 * sbh + 16 * tokens, "qkv": 2 * sbh, "scores": 4 * sbh},
        "softmax": 4 * tokens * options["heads"] if flash else 2 * scores,
        "values": 2 * sbh + (2 * scores if dropout and not flash else 0),
        **{"output": 2 * sbh, "up": 2 * sbh, "gelu": 8 * sbh, "down": 8 * sbh},
        "dropout": (2 * sbh + (0 if flash else scores)) if dropout else 0,
    }
    return {**parts, "total": sum(parts.values())}


def model_activations(*, vocab, layers, **options):
    _model(vocab=vocab, layers=layers, **options)
    block, tokens = block_activations(**options), options["batch"] * options["seq_len"]
    parts = {
        "embedding": tokens * options["d_model"] if options["dropout"] else 0,
        "blocks": layers * block["total"],
        "final_norm": block["norms"] // 2,
        "lm_head": block["qkv"],
        "loss": 2 * tokens * vocab,
    }
    return {**parts, "total": sum(parts.values())}
