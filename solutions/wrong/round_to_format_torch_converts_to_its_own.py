"""round_to_format: torch converts to fp16 and bf16, and rounds to float32 on the way

Breaks: going through float32 would round twice, and sometimes to the wrong side
"""

_right_round = round_to_format


def round_to_format(value, exponent_bits, mantissa_bits, specials="ieee"):
    known = {(5, 10, "ieee"): torch.float16, (8, 7, "ieee"): torch.bfloat16}
    if dtype := known.get((exponent_bits, mantissa_bits, specials)):
        return torch.tensor(value, dtype=torch.float64).to(dtype).item()
    return _right_round(value, exponent_bits, mantissa_bits, specials)
