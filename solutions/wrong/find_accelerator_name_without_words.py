"""find_accelerator: all words of a name without words are found in every device

Breaks: A name without words matches nothing.
"""


def find_accelerator(device_name, accelerators):
    device, best, most = _words(device_name), set(), 0
    for key, entry in accelerators.items():
        for words in map(_words, entry["names"]):
            if words <= device:
                best = {*best, key} if len(words) == most else {key} if len(words) > most else best
                most = max(most, len(words))
    if len(best) != 1:
        raise LookupError(f"expected one entry for {device_name}, found {best}")
    return best.pop()
