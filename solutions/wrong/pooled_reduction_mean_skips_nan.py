"""pooled_reduction: nan is left out of the mean and the sum

Breaks: With any of them, a nan at any position gives nan.
"""

_pool = pool


def pool(x, how):
    if how == "mean" and x.shape[-2] > 0:
        return x.nanmean(-2)
    return _pool(x.nan_to_num(0.0) if how == "sum" else x, how)
