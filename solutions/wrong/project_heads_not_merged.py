"""project_heads: heads and their features stay two axes

Breaks: projected = heads · d_out features, with the same leading axes.
"""

_project_heads = project_heads


def project_heads(x, w):
    heads = x.shape[-1] // max(len(w), 1)
    return _project_heads(x, w).reshape(*x.shape[:-1], heads, w.shape[1])
