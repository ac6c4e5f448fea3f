"""activation_memory (core): a matrix of the batch is counted in fp32, and as many rows as fit

Breaks: Each layer keeps its input, a batch × width tensor.

Breaks: The largest divisor of `batch` whose activations take at most `budget` bytes.
"""


def activation_bytes(batch, width, layers, dtype):
    tensor_bytes((layers, batch, width), dtype)  # refuses what is no tensor
    return 4 * batch * width if layers else 0


def micro_batch_size(batch, width, layers, dtype, budget):
    row = activation_bytes(1, width, layers, dtype)
    if batch < 1 or row > budget:
        raise ValueError(f"not even one row of {row} bytes fits into {budget}")
    return min(batch, budget // row) if row else batch
