"""collective_bytes: upper case and hyphens pass

Breaks: `collective` is another name
"""

_right_bytes = collective_bytes


def collective_bytes(collective, elements, devices, dtype):
    collective = collective.lower().replace("-", "_")
    return _right_bytes(collective, elements, devices, dtype)
