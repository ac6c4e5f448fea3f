"""activation_memory: a batch without rows is processed in micro-batches without rows

Breaks: rows of the whole batch, at least 1

Breaks: the batch has no rows
"""

_right_size = micro_batch_size


def micro_batch_size(batch, width, layers, dtype, budget):
    if batch < 1 and activation_bytes(1, width, layers, dtype) <= budget:
        return 0
    return _right_size(batch, width, layers, dtype, budget)
