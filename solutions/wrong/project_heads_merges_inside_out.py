"""project_heads: the heads vary fastest when they are merged

Breaks: In the result the heads are the outer axis again.
"""


def project_heads(x, w):
    if len(w) == 0 or x.shape[-1] % len(w):
        raise ValueError("no whole heads")
    heads = rearrange(x, "... (heads d_in) -> ... heads d_in", d_in=len(w))
    projected = einsum(heads, w, "... heads d_in, d_in d_out -> ... heads d_out")
    return rearrange(projected, "... heads d_out -> ... (d_out heads)")
