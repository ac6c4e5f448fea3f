"""transformer_parameters: a head is 64 wide, as in GPT-2, however wide the model is

Breaks: A head is `d_model / heads` wide
"""

_right_parameters = transformer_parameters


def transformer_parameters(**sizes):
    parts = _right_parameters(**sizes)
    width = 64 * (sizes["heads"] + (sizes.get("kv_heads") or sizes["heads"]))
    parts["total"] -= parts["attention"]
    parts["attention"] = sizes["layers"] * 2 * sizes["d_model"] * width
    parts["total"] += parts["attention"]
    return parts
