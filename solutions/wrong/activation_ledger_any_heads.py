"""activation_ledger: heads need not divide the width

Breaks: does not divide `d_model`

Breaks: each is `d_model / heads` wide
"""

_block = block_activations


def block_activations(**options):
    if options["heads"] > 0 and options["d_model"] > 0:
        options["d_model"] *= options["heads"]
        parts = _block(**options)
        options["d_model"] //= options["heads"]
        square = _block(**options | {"heads": 1})
        extra = options["heads"] - 1
        many = {part: square[part] for part in square}
        for part in ("softmax",):
            many[part] = square[part] * options["heads"]
        if options["attention"] == "math" and options["dropout"]:
            scores = options["batch"] * options["seq_len"] ** 2 * extra
            many["dropout"] += scores
            many["values"] += scores * bytes_per_element(options["dtype"])
        many["total"] = sum(size for part, size in many.items() if part != "total")
        return many
    return _block(**options)
