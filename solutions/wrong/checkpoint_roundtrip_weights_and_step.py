"""checkpoint_roundtrip (core): only the model's state and the step return, by names of its own

Breaks: The file holds the `state_dict()` of the model and of the optimizer

Breaks: Loads a checkpoint into the model, the optimizer and the global generators

Breaks: its state and settings are overwritten
"""


def save_checkpoint(path, model, optimizer, step):
    torch.save({"w": model.state_dict(), "s": step, "r": torch.get_rng_state()}, path)


def load_checkpoint(path, model, optimizer):
    content = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(content["w"])
    return content["s"]
