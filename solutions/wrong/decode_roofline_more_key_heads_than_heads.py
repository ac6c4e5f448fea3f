"""decode_roofline: only more key heads than heads are refused

Breaks: `kv_heads` does not divide `heads`, or a number of bytes is not positive.
"""


def _check_groups(heads, kv_heads):
    if kv_heads > heads:
        raise ValueError("too many key heads")
