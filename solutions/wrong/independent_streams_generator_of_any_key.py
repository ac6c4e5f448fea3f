"""independent_streams: a generator takes keys that have no stream_seed as their texts

Breaks: as for `stream_seed`.
"""


def stream_generator(seed, *keys):
    keys = [key if isinstance(key, int | str) else str(key) for key in keys]
    return torch.Generator().manual_seed(stream_seed(seed, *keys))
