"""storage_bytes: a view is known by its _base, which detached tensors and Parameters do not have

Breaks: `detach()` and `torch.nn.Parameter(t)` share the storage of the tensor that they were made
from
"""


def storage_bytes(tensors):
    bases = {}
    for t in tensors:
        if not t.is_meta:
            base = t if t._base is None else t._base
            bases[id(base)] = base
    return sum(t.untyped_storage().nbytes() for t in bases.values())
