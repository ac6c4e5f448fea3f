"""checkpoint_atomic: the temporary file is removed after an Exception, and not after Ctrl-C

Breaks: A save that raises removes its temporary file
"""


def save_checkpoint(path, model, optimizer, step):
    content = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "step": int(step),
        "random": _random_state(),
    }
    path = Path(path)
    temporary = path.with_name(path.name + ".tmp")
    try:
        with temporary.open("wb") as file:
            torch.save(content, file)
            file.flush()
            os.fsync(file)
        temporary.replace(path)
    except Exception:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)
