"""checkpoint_atomic: the temporary file is in the folder for temporary files

Breaks: write to a temporary file in the folder of `path`,

Costs: a rename that may cross file systems is none of the steps that make a save atomic.
"""

import shutil
import tempfile


def save_checkpoint(path, model, optimizer, step):
    content = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "step": int(step),
        "random": _random_state(),
    }
    with tempfile.TemporaryDirectory() as folder:
        temporary = os.path.join(folder, "checkpoint")
        with open(temporary, "wb") as file:
            torch.save(content, file)
            file.flush()
            os.fsync(file.fileno())
        if os.path.isdir(path):
            raise IsADirectoryError(path)
        shutil.move(temporary, path)
    _sync_folder(Path(path).parent)
