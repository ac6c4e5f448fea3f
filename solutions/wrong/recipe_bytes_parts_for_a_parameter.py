"""recipe_bytes: the state's parts are for one parameter, and only the total is for all

Breaks: Bytes that a training run keeps for a model, part by part, without activations.
"""


def training_state(parameters, recipe):
    if parameters < 0:
        raise ValueError("negative")
    state = _bytes_by_part(recipe)
    return {**state, "total": parameters * sum(state.values())}
