"""project_heads (core): the heads vary fastest when the features are split

Breaks: The last axis of x is two axes in one: heads times d_in, with the heads as the outer axis,
so that the features of one head are adjacent.
"""


def project_heads(x, w):
    if len(w) == 0 or x.shape[-1] % len(w):
        raise ValueError("no whole heads")
    heads = rearrange(x, "... (d_in heads) -> ... heads d_in", d_in=len(w))
    projected = einsum(heads, w, "... heads d_in, d_in d_out -> ... heads d_out")
    return rearrange(projected, "... heads d_out -> ... (heads d_out)")
