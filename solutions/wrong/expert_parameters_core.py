"""expert_parameters (core): a dense model of an expert's width, and no expert in common"""


def moe_parameters(
    *,
    vocab,
    layers,
    d_model,
    heads,
    d_expert,
    experts,
    experts_per_token,
    kv_heads=None,
    tied=False,
    **others,
):
    sizes = {"vocab": vocab, "layers": layers, "d_model": d_model, "heads": heads}
    sizes |= {"d_ff": d_expert, "kv_heads": kv_heads, "tied": tied}
    total = transformer_parameters(**sizes)["total"]
    return {"total": total, "active": total, "training_flops_per_token": 6 * total}


def distinct_experts(experts, experts_per_token, tokens):
    return float(tokens * experts_per_token)
