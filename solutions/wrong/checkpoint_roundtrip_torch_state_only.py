"""checkpoint_roundtrip: torch's random state is saved, numpy's and Python's are forgotten

Breaks: torch's (including each CUDA device's), numpy's (`np.random.get_state`) and Python's
(`random.getstate`)
"""


def _set_random_state(state):
    torch.set_rng_state(state["torch"])
