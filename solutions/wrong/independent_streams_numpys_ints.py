"""independent_streams: np.int64(3) passes for an int, and is another stream than 3

Breaks: or an `np.int64`.
"""

import numbers


def stream_seed(seed, *keys):
    if not all(isinstance(key, numbers.Integral | str) for key in keys):
        raise TypeError("expected keys of type int or str")
    digest = hashlib.sha256(ascii((seed, *keys)).encode()).digest()
    return int.from_bytes(digest[:8], "little") % _SEEDS
