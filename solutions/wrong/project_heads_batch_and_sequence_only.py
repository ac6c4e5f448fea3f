"""project_heads: exactly two leading axes are expected

Breaks: total = heads · d_in features, with any number of leading axes.

Breaks: `...` means any number of leading axes, including none.
"""


def project_heads(x, w):
    if len(w) == 0 or x.shape[-1] % len(w):
        raise ValueError("no whole heads")
    heads = rearrange(x, "b s (heads d_in) -> b s heads d_in", d_in=len(w))
    projected = einsum(heads, w, "b s heads d_in, d_in d_out -> b s heads d_out")
    return rearrange(projected, "b s heads d_out -> b s (heads d_out)")
