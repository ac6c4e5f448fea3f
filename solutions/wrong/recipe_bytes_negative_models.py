"""recipe_bytes: a negative number of parameters is not looked at

Breaks: `parameters` is negative
"""


def training_state(parameters, recipe):
    state = {part: parameters * each for part, each in _bytes_by_part(recipe).items()}
    return {**state, "total": sum(state.values())}
