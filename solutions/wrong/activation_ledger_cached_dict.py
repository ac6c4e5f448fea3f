"""activation_ledger (public): the dict is cached, so all callers share it"""

import functools

block_activations = functools.cache(block_activations)
model_activations = functools.cache(model_activations)
