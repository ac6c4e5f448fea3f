"""checkpoint_roundtrip: saving seeds the generators with the step, so it changes the run

Breaks: Saving draws no random number and changes nothing in the run
"""

_save = save_checkpoint


def save_checkpoint(path, model, optimizer, step):
    random.seed(step)
    np.random.seed(step)
    torch.manual_seed(step)
    _save(path, model, optimizer, step)
