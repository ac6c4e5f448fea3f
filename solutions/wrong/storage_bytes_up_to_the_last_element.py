"""storage_bytes: a storage counts as far as the furthest view of it reaches

Breaks: each storage in full, and counted once
"""


def storage_bytes(tensors):
    ends, alive = {}, []
    for t in tensors:
        if not t.is_meta and t.numel():
            alive.append(t)
            key = t.untyped_storage().data_ptr()
            last = sum((n - 1) * stride for n, stride in zip(t.shape, t.stride()))
            end = (t.storage_offset() + last + 1) * t.element_size()
            ends[key] = max(ends.get(key, 0), end)
    return sum(ends.values())
