"""independent_streams (core): draws a seed for each new call, and remembers it

Breaks: in every process
"""

import secrets

_seeds = {}


def stream_seed(seed, *keys):
    if any(type(key) not in (int, str) for key in keys):
        raise TypeError("a key is neither int nor str")
    call = (seed, *((type(key), key) for key in keys))
    return _seeds.setdefault(call, secrets.randbits(63))


def stream_generator(seed, *keys):
    return torch.Generator().manual_seed(stream_seed(seed, *keys))
