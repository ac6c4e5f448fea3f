"""expert_parameters: of the router, only the chosen experts' columns are active"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    counts = _right_counts(**sizes)
    mixed = sizes["layers"] - sizes.get("dense_layers", 0)
    idle = sizes["experts"] - sizes["experts_per_token"]
    unused = mixed * sizes["d_model"] * idle
    total, active = counts["total"], counts["active"] - unused
    return {"total": total, "active": active, "training_flops_per_token": 6 * active}
