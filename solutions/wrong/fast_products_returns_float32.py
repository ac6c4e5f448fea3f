"""fast_products: the result is in float32

Breaks: (n, n), of x's dtype.
"""

_right_matmul_chain = matmul_chain


def matmul_chain(x, weights):
    return _right_matmul_chain(x, weights).float()
