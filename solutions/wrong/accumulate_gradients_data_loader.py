"""accumulate_gradients: a DataLoader makes the micro-batches, and draws a seed for its workers from torch's global generator

Breaks: Micro-batches are slices of
"""

from torch.utils.data import DataLoader, TensorDataset


def accumulate_gradients(model, inputs, targets, loss_fn, micro_batch):
    """Weighted by rows; a DataLoader slices in order and knows about the last, smaller one."""
    if micro_batch < 1 or not len(inputs) or len(inputs) != len(targets):
        raise ValueError("no rows, or lengths differ")
    total = 0.0
    for x, y in DataLoader(TensorDataset(inputs, targets), micro_batch):
        loss = loss_fn(model(x), y) * (len(x) / len(inputs))
        loss.backward()
        total += loss.item()
    return total
