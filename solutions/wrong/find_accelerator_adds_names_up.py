"""find_accelerator: the words of all names of an entry count together

Breaks: the one whose matching name has the most different words wins
"""


def find_accelerator(device_name, accelerators):
    device = _words(device_name)
    found = []
    for key, entry in accelerators.items():
        matching = [_words(n) for n in entry["names"] if _words(n) and _words(n) <= device]
        if matching:
            found.append((len(set().union(*matching)), key))
    if not found or [c for c, _ in found].count(max(found)[0]) > 1:
        raise LookupError(device_name)
    return max(found)[1]
