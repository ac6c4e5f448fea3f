"""activation_memory: the batch is halved until it fits, which misses divisors by 3

Breaks: The largest divisor of `batch` whose activations take at most `budget` bytes.
"""


def micro_batch_size(batch, width, layers, dtype, budget):
    if batch < 1 or activation_bytes(1, width, layers, dtype) > budget:
        raise ValueError("does not fit")
    while activation_bytes(batch, width, layers, dtype) > budget:
        batch = batch // 2 if batch % 2 == 0 else 1
    return batch
