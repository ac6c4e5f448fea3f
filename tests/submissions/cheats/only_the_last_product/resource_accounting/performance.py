"""multiplies by the last weight alone"""

from .honest import product


def matmul_chain(x, weights):
    return product(x, weights[-1])
