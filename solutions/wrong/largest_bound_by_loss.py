"""largest_batch: the search's upper bound is the device divided by the loss of one sequence: ZeroDivisionError with vocab=0

Breaks: The largest number of sequences
"""


def largest_batch(
    device_bytes: int,
    recipe: Recipe,
    *,
    vocab: int,
    context: int,
    layers: int,
    seq_len: int,
    d_model: int,
    heads: int,
    d_ff: int,
    dtype: torch.dtype,
    dropout: bool,
    attention: str,
    checkpointed: bool,
) -> int:
    if seq_len < 1:
        raise ValueError("seq_len must be at least 1")

    def totals(batch):
        chain = model_modules(
            vocab=vocab,
            context=context,
            layers=layers,
            batch=batch,
            seq_len=seq_len,
            d_model=d_model,
            heads=heads,
            d_ff=d_ff,
            dtype=dtype,
            dropout=dropout,
            attention=attention,
            checkpointed=checkpointed,
        )
        return [now["total"] for _, now in step_ledger(chain, recipe)]

    if max(totals(0)) > device_bytes:
        raise ValueError("not even an empty batch fits")
    low, high = 0, device_bytes // (4 * seq_len * vocab) + 1
    while low < high:
        middle = (low + high + 1) // 2
        if max(totals(middle)) <= device_bytes:
            low = middle
        else:
            high = middle - 1
    return low
