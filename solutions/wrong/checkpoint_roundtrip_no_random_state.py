"""checkpoint_roundtrip: the random state is not saved

Breaks: A run consists of its model, its optimizer, its step and its random state

Breaks: Loads a checkpoint into the model, the optimizer and the global generators
"""


def _set_random_state(state):
    pass
