"""checkpoint_atomic: synced while the bytes are still in a buffer of the process

Breaks: flush it and `os.fsync` it, so that its bytes are on the disk and not only in a buffer,
"""

import io


def save_checkpoint(path, model, optimizer, step):
    content = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "step": int(step),
        "random": _random_state(),
    }
    path = Path(path)
    temporary = path.with_name(path.name + ".tmp")
    bytes_in_memory = io.BytesIO()
    torch.save(content, bytes_in_memory)
    try:
        with temporary.open("wb", buffering=1 << 20) as file:
            file.write(bytes_in_memory.getvalue())
            os.fsync(file)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)
