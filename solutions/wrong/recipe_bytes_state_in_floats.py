"""recipe_bytes: bytes are worked out in floating point, which is inexact when huge

Breaks: All results are exact Python ints.
"""


def training_state(parameters, recipe):
    if parameters < 0:
        raise ValueError("negative")
    state = {part: int(float(parameters) * each) for part, each in _bytes_by_part(recipe).items()}
    return {**state, "total": sum(state.values())}
