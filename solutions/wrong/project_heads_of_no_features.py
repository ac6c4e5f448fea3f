"""project_heads: heads without features give nothing, or the error of a division by 0

Breaks: or d_in is 0, so that the number of heads is undefined.
"""

_project_heads = project_heads


def project_heads(x, w):
    if len(w) == 0 and x.shape[-1] == 0:
        return x
    if x.shape[-1] % len(w):
        raise ValueError("no whole heads")
    return _project_heads(x, w)
