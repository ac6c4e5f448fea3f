"""fast_products: computes in float32, also what comes in float64

Breaks: float32 or float64
"""

_right_matmul_chain = matmul_chain


def matmul_chain(x, weights):
    return _right_matmul_chain(x.float(), [weight.float() for weight in weights]).to(x.dtype)
