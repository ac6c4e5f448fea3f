"""checkpoint_roundtrip: torch's random state is saved, numpy's and Python's are forgotten"""


def _set_random_state(state):
    torch.set_rng_state(state["torch"])
