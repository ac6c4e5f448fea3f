"""checkpoint_atomic: a save that fails half-way leaves its temporary file

Breaks: A save that raises removes its temporary file
"""


def save_checkpoint(path, model, optimizer, step):
    content = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "step": int(step),
        "random": _random_state(),
    }
    temporary = str(path) + ".tmp"
    with open(temporary, "wb") as file:
        torch.save(content, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
    _sync_folder(Path(path).parent)
