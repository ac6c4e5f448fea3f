"""largest_batch (core): what the model's state leaves, divided by the bytes of one sequence

Breaks: It fits if no moment of `step_ledger` exceeds the device's memory.

Breaks: Then it holds only its input, and needs all that `block_activations` counts
"""

_right_modules, _right_batch = model_modules, largest_batch


def model_modules(*, checkpointed, **options):
    return _right_modules(**options, checkpointed=False)


def largest_batch(device_bytes, recipe, **options):
    _right_batch(device_bytes, recipe, **options)  # refuses
    modules = model_modules(batch=1, **options)
    state = training_state(sum(parameters for parameters, _, _ in modules), recipe)["total"]
    return max(0, (device_bytes - state) // sum(held for _, held, _ in modules))
