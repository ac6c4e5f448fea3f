"""step_ledger: a master copy of the parameters' own dtypes is taken for none, and they are read as well

Breaks: parameters are written, and read if the recipe has no master copy
"""


def adamw_cost(parameters: int, recipe: Recipe) -> dict[str, int]:
    state = training_state(parameters, recipe)
    if len(recipe["optimizer"]) != 2:
        raise ValueError("AdamW has two moments")
    traffic = state["gradients"] + 2 * state["optimizer"] + 2 * state["master"]
    traffic += state["parameters"] * (
        1 if len(recipe["master"]) and list(recipe["master"]) != list(recipe["parameters"]) else 2
    )
    return {"flops": 14 * parameters, "bytes": traffic}
