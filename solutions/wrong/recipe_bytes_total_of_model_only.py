"""recipe_bytes: the total leaves out the optimizer, as if a model were its parameters

Breaks: Bytes of "parameters", "gradients", "master" and "optimizer", and their sum, "total".
"""

_state = training_state


def training_state(parameters, recipe):
    state = _state(parameters, recipe)
    return {**state, "total": state["total"] - state["optimizer"]}
