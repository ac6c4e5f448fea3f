"""activation_memory: the micro-batch fits but does not divide the batch

Breaks: With gradient accumulation a batch is processed in micro-batches of equal size
"""


def micro_batch_size(batch, width, layers, dtype, budget):
    one = activation_bytes(1, width, layers, dtype)
    if batch < 1 or one > budget:
        raise ValueError("does not fit")
    return min(batch, budget // one) if one else batch
