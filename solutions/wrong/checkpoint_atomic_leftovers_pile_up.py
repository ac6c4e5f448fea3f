"""checkpoint_atomic: each temporary file has a name of its own, and killed saves leave them all

Breaks: such files must not pile up: once a save to `path` has returned, no temporary file of an
earlier one is left

Breaks: such files must not pile up
"""


def save_checkpoint(path, model, optimizer, step):
    import tempfile

    content = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "step": int(step),
        "random": _random_state(),
    }
    handle, temporary = tempfile.mkstemp(dir=Path(path).parent)
    try:
        with os.fdopen(handle, "wb") as file:
            torch.save(content, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.remove(temporary)
        raise
    _sync_folder(Path(path).parent)
