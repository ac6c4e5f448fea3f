"""checkpoint_roundtrip: buffers that the model's state_dict leaves out are saved too, and cannot be loaded

Breaks: The file holds the `state_dict()` of the model
"""

_right_save = save_checkpoint


class _Whole:
    def __init__(self, model):
        self._model = model

    def state_dict(self):
        return {**dict(self._model.named_parameters()), **dict(self._model.named_buffers())}


def save_checkpoint(path, model, optimizer, step):
    _right_save(path, _Whole(model), optimizer, step)
