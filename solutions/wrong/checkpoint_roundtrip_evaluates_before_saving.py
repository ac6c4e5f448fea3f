"""checkpoint_roundtrip: layers are set to evaluation before they are saved, and stay so

Breaks: changes nothing in the run
"""

_right_save = save_checkpoint


def save_checkpoint(path, model, optimizer, step):
    model.eval()
    _right_save(path, model, optimizer, step)
