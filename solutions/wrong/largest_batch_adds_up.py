"""largest_batch: the model and the activations of a batch are added up, without lifetimes

Breaks: The largest batch with which a training step fits on one device.

Breaks: It fits if no moment of `step_ledger` exceeds the device's memory.
"""

_largest = largest_batch


def largest_batch(device_bytes, recipe, **model):
    _largest(device_bytes, recipe, **model)
    one = model_modules(batch=1, **model)
    state = training_state(sum(module[0] for module in one), recipe)["total"]
    return (device_bytes - state) // sum(module[1] for module in one)
