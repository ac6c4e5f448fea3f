"""checkpoint_atomic: the last checkpoint gets another name before the new one has its name

Breaks: whenever the process is killed, `path` holds either the complete last checkpoint or the
complete new one

Costs: that a reader always finds a whole checkpoint is what most checks are about.
"""


def save_checkpoint(path, model, optimizer, step):
    content = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "step": int(step),
        "random": _random_state(),
    }
    path = Path(path)
    new, last = (path.with_name(path.name + suffix) for suffix in (".tmp", ".bak"))
    try:
        with new.open("wb") as file:
            torch.save(content, file)
            file.flush()
            os.fsync(file)
        if path.exists():
            path.rename(last)
        new.rename(path)
        last.unlink(missing_ok=True)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)
