"""prefill_decode_flops: each step runs all tokens again

Breaks: Nothing else is computed for tokens in the cache.
"""


def decode_flops(*, context, batch=1, **shape):
    return prefill_flops(prompt=context, batch=batch, **shape)
