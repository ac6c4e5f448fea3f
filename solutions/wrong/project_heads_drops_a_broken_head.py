"""project_heads: features that are left over are dropped

Breaks: total is not a multiple of d_in,
"""


def project_heads(x, w):
    if len(w) == 0:
        raise ValueError("no features")
    whole = x.shape[-1] // len(w) * len(w)
    heads = rearrange(x[..., :whole], "... (heads d_in) -> ... heads d_in", d_in=len(w))
    projected = einsum(heads, w, "... heads d_in, d_in d_out -> ... heads d_out")
    return rearrange(projected, "... heads d_out -> ... (heads d_out)")
