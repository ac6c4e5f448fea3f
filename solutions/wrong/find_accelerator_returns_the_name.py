"""find_accelerator: the name that matches is returned, not the entry's key

Breaks: The entry's key.
"""

_right_find = find_accelerator


def find_accelerator(device_name, accelerators):
    names = accelerators[_right_find(device_name, accelerators)]["names"]
    return max((n for n in names if _words(n) <= _words(device_name)), key=lambda n: len(_words(n)))
