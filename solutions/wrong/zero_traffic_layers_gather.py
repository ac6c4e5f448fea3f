"""zero_traffic: tensor parallelism: all-gathers, as if the parts were slices and not partial sums

Breaks: In each layer, attention and feed-forward both end with partial sums, one from each device:
an all-reduce of tokens × width activations.
"""

_right_layers = tensor_parallel_traffic


def tensor_parallel_traffic(tokens, width, layers, devices, dtype):
    _right_layers(tokens, width, layers, devices, dtype)
    return 4 * layers * collective_bytes("all_gather", tokens * width, devices, dtype)
