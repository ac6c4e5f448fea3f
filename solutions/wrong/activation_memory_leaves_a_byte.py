"""activation_memory: a micro-batch that fills the budget to the last byte is not taken

Breaks: The largest micro-batch whose activations fit into a budget.
"""


def micro_batch_size(batch, width, layers, dtype, budget):
    for rows in range(batch, 0, -1):
        if batch % rows == 0 and activation_bytes(rows, width, layers, dtype) < budget:
            return rows
    raise ValueError("does not fit")
