"""step_ledger: FLOPs are 2 for each parameter and gradient

Breaks: FLOPs and memory traffic of one AdamW step, as one fused kernel does it.
"""

_cost = adamw_cost


def adamw_cost(parameters, recipe):
    return {**_cost(parameters, recipe), "flops": 2 * parameters}
