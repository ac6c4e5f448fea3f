"""independent_streams: seeds the global generator and returns a copy of it

Breaks: The global generators are neither read nor advanced.
"""


def stream_generator(seed, *keys):
    torch.manual_seed(stream_seed(seed, *keys))
    return torch.default_generator.clone_state()
