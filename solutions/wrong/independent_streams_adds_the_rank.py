"""independent_streams: seed + rank"""


def stream_seed(seed, *keys):
    for key in keys:
        if not isinstance(key, (int, str)):
            raise TypeError(key)
    return (seed + sum(k if isinstance(k, int) else sum(k.encode()) for k in keys)) % 2**63
