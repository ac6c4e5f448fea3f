"""checkpoint_roundtrip: parameters are restored, buffers (BatchNorm's averages) are not

Breaks: Loads a checkpoint into the model, the optimizer and the global generators
"""

_load = load_checkpoint


def load_checkpoint(path, model, optimizer):
    before = {name: buffer.clone() for name, buffer in model.named_buffers()}
    step = _load(path, model, optimizer)
    for name, buffer in model.named_buffers():
        buffer.copy_(before[name])
    return step
