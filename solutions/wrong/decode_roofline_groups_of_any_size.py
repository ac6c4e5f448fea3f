"""decode_roofline: a head's share of a key may be a fraction

Breaks: `kv_heads` does not divide `heads`, or a number of bytes is not positive.

Breaks: `kv_heads` divides `heads`.

Breaks: or `kv_heads` does not divide `heads`.
"""


def _check_groups(heads, kv_heads):
    pass
