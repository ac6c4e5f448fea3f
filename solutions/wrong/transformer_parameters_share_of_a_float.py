"""transformer_parameters: the width of the keys is d_model times a float, cut to an int"""

_right_parameters = transformer_parameters


def transformer_parameters(**sizes):
    parts = _right_parameters(**sizes)
    share = (sizes.get("kv_heads") or sizes["heads"]) / sizes["heads"]
    width = sizes["d_model"] + int(sizes["d_model"] * share)
    parts["total"] -= parts["attention"]
    parts["attention"] = sizes["layers"] * 2 * sizes["d_model"] * width
    parts["total"] += parts["attention"]
    return parts
