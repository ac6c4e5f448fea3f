"""activation_memory: where not even one row fits, a micro-batch of 1 is given

Breaks: not even one row fits
"""


def micro_batch_size(batch, width, layers, dtype, budget):
    for rows in range(batch, 1, -1):
        if batch % rows == 0 and activation_bytes(rows, width, layers, dtype) <= budget:
            return rows
    if batch < 1:
        raise ValueError("no rows")
    return 1
