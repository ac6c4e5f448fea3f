"""recipe_bytes: torch's itemsize is believed, which is 1 for elements of 4 bits

Breaks: Or a dtype's elements are not a whole number of bytes.
"""

_right_bytes = _bytes_by_part


def _bytes_by_part(recipe):
    whole = {
        part: [getattr(torch, f"uint{8 * dtype.itemsize}", dtype) for dtype in recipe[part]]
        for part in recipe
    }
    return _right_bytes(whole)
