"""checkpoint_atomic: renamed before its bytes are on the disk: whole after a kill, not after a power cut"""


def save_checkpoint(path, model, optimizer, step):
    content = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "step": int(step),
        "random": _random_state(),
    }
    temporary = str(path) + ".tmp"
    try:
        torch.save(content, temporary)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
