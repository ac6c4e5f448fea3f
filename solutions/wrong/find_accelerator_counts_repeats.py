"""find_accelerator: a word that a name repeats counts each time

Breaks: has the most different words
"""


def find_accelerator(device_name, accelerators):
    device, counts = _words(device_name), {}
    for key, entry in accelerators.items():
        for words in (re.findall("[a-z0-9]+", name.lower()) for name in entry["names"]):
            if words and set(words) <= device:
                counts[key] = max(counts.get(key, 0), len(words))
    best = [key for key in counts if counts[key] == max(counts.values())]
    if len(best) != 1:
        raise LookupError(f"expected one entry for {device_name}, found {best}")
    return best[0]
