"""recipe_bytes: without parameters, the recipe is not looked at

Breaks: `bytes_per_parameter` raises it for the recipe
"""

_right_state = training_state


def training_state(parameters, recipe):
    if parameters == 0:
        return dict.fromkeys([*_SHARDED_FROM, "total"], 0)
    return _right_state(parameters, recipe)
