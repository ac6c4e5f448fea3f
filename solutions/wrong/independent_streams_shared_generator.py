"""independent_streams: seeds the global generator and returns it

Breaks: A fresh generator on the CPU, seeded with `stream_seed(seed, *keys)`.
"""


def stream_generator(seed, *keys):
    torch.manual_seed(stream_seed(seed, *keys))
    return torch.default_generator
