"""checkpoint_atomic: the temporary file is named for the process, and no later one finds it

Breaks: once a save to `path` has returned, no temporary file of an earlier one is left
"""


def save_checkpoint(path, model, optimizer, step):
    content = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "step": int(step),
        "random": _random_state(),
    }
    path = Path(path)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            torch.save(content, file)
            file.flush()
            os.fsync(file)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)
