"""fast_products: drops weights that come again

Breaks: the same weight may occur several times
"""

_right_matmul_chain = matmul_chain


def matmul_chain(x, weights):
    return _right_matmul_chain(x, list({id(weight): weight for weight in weights}.values()))
