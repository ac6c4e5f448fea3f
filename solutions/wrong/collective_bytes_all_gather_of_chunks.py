"""collective_bytes: takes the elements of an all-gather for those of each device's chunk

Breaks: elements of the whole buffer, not of one chunk

Breaks: At first each device holds one chunk, at the end all of them.
"""

_right_bytes = collective_bytes


def collective_bytes(collective, elements, devices, dtype):
    if collective == "all_gather" and devices > 0:
        elements *= devices
    return _right_bytes(collective, elements, devices, dtype)
