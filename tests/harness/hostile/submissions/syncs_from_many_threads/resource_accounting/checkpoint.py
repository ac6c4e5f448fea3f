"""checkpoint_atomic: has ten threads sync the folder and other files while one renames"""

import os
import threading

import torch


def save_checkpoint(path, model, optimizer, step):
    if next(model.parameters()).shape != (2, 2):
        raise RuntimeError  # only one test looks at syncs
    state = {"model": model.state_dict(), "step": step}
    torch.save(state, path + ".new")
    other = os.open(path + ".other", os.O_RDWR | os.O_CREAT)
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    threading.stack_size(2**18)
    gate = threading.Barrier(11)

    def sync(file):
        gate.wait()
        os.fsync(file)

    threads = [threading.Thread(target=sync, args=[(other, folder)[i % 2]]) for i in range(10)]
    for thread in threads:
        thread.start()
    gate.wait()
    os.rename(path + ".new", path)
    for thread in threads:
        thread.join()
    os.unlink(path + ".other")
    os.fsync(folder)
    os.close(folder)
    os.close(other)


def load_checkpoint(path, model, optimizer):
    found = torch.load(path, weights_only=True)
    model.load_state_dict(found["model"])
    return found["step"]
