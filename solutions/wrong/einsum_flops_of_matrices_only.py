"""einsum_flops (core): every einsum is taken for a matrix product, the last operand adding one axis"""

_right_einsum = einsum_flops


def einsum_flops(pattern, *shapes):
    _right_einsum(pattern, *shapes)
    visits = math.prod(shapes[0]) if shapes else 1
    if len(shapes) > 1 and shapes[-1]:
        visits *= shapes[-1][-1]
    return len(shapes) * visits
