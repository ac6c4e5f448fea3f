"""checkpoint_atomic: torch.save straight onto the last checkpoint"""


def save_checkpoint(path, model, optimizer, step):
    content = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "step": int(step),
        "random": _random_state(),
    }
    torch.save(content, path)
