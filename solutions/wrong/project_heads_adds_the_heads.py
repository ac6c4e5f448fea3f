"""project_heads: the heads are added up, each repeated sum in its place

Breaks: Applies one projection to each head.
"""


def project_heads(x, w):
    if len(w) == 0 or x.shape[-1] % len(w):
        raise ValueError("no whole heads")
    heads = rearrange(x, "... (heads d_in) -> ... heads d_in", d_in=len(w))
    summed = einsum(heads, w, "... heads d_in, d_in d_out -> ... d_out")
    return summed.repeat(*[1] * (x.ndim - 1), x.shape[-1] // len(w))
