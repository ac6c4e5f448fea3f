"""checkpoint_atomic (core): torch.save straight onto the last checkpoint

Breaks: Saving must survive being killed at any moment

Breaks: The save is atomic: whenever the process is killed, `path` holds either the complete last
checkpoint or the complete new one.
"""


def save_checkpoint(path, model, optimizer, step):
    content = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "step": int(step),
        "random": _random_state(),
    }
    torch.save(content, path)
