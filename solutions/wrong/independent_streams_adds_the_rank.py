"""independent_streams: seed + rank

Breaks: (seed + rank is not enough: rank 1 of seed 7 would be rank 0 of seed 8.)

Breaks: The order of keys matters,

Breaks: Different seeds or keys give different streams.

Costs: that streams are independent is what most checks are about.
"""


def stream_seed(seed, *keys):
    for key in keys:
        if not isinstance(key, (int, str)):
            raise TypeError(key)
    return (seed + sum(k if isinstance(k, int) else sum(k.encode()) for k in keys)) % 2**63
