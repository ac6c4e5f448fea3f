"""storage_index: matches a pattern that takes longer than the universe, in C and with the GIL"""

import re


def storage_index(index, strides, offset=0):
    return int(bool(re.match(r"((a|aa)+)+$", "a" * 4000 + "b")))
