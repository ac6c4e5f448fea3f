"""transformer_flops: only a negative number of tokens is refused, seq_len × batch

Breaks: `seq_len` or `batch` is negative
"""

_right_forward = transformer_forward_flops


def transformer_forward_flops(*, seq_len, batch=1, **sizes):
    if seq_len * batch < 0:
        raise ValueError("negative")
    return _right_forward(seq_len=abs(seq_len), batch=abs(batch), **sizes)
