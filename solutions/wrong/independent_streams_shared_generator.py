"""independent_streams: seeds the global generator and returns it"""


def stream_generator(seed, *keys):
    torch.manual_seed(stream_seed(seed, *keys))
    return torch.default_generator
