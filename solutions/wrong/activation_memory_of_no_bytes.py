"""activation_memory: rows of 0 bytes fit into any budget, even a negative one

Breaks: so for every negative budget
"""

_right_size = micro_batch_size


def micro_batch_size(batch, width, layers, dtype, budget):
    if batch > 0 and activation_bytes(batch, width, layers, dtype) == 0:
        return batch
    return _right_size(batch, width, layers, dtype, budget)
