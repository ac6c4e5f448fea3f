"""bytes_per_element: the digits of the name are taken for bits, so float8 and complex break

Breaks: One element of `torch.float4_e2m1fn_x2` is a pair of 4-bit numbers, 1 byte. Likewise, one
element of `bits1x8`, `bits2x4` and `bits4x2` is a group that fills a byte
"""


def bytes_per_element(dtype):
    digits = "".join(c for c in str(dtype) if c.isdigit())
    return int(digits or "8") // 8
