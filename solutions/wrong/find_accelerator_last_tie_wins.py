"""find_accelerator: of two entries that match equally well, the later one wins

Breaks: several share the most words
"""


def find_accelerator(device_name, accelerators):
    best, most = None, 1
    for key, entry in accelerators.items():
        for words in map(_words, entry["names"]):
            if words <= _words(device_name) and len(words) >= most:
                best, most = key, len(words)
    if best is None:
        raise LookupError(f"unknown device {device_name}")
    return best
