"""step_ledger: refuses a recipe that keeps no gradients"""


def adamw_cost(parameters: int, recipe: Recipe) -> dict[str, int]:
    state = training_state(parameters, recipe)
    if not recipe["gradients"]:
        raise ValueError("there are no gradients to step with")
    if len(recipe["optimizer"]) != 2:
        raise ValueError("AdamW has two moments")
    traffic = state["gradients"] + 2 * state["optimizer"] + 2 * state["master"]
    traffic += state["parameters"] * (1 if len(recipe["master"]) else 2)
    return {"flops": 14 * parameters, "bytes": traffic}
