"""storage_bytes: each storage counts once, but only with what its largest view shows

Breaks: each storage in full, and counted once
"""


def storage_bytes(tensors):
    shown = {}
    for t in tensors:
        if not t.is_meta:
            key = t.untyped_storage().data_ptr()
            shown[key] = max(shown.get(key, 0), t.nbytes)
    return sum(shown.values())
