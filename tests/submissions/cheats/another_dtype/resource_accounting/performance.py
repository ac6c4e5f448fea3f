"""answers in half of the bytes"""

from .honest import product


def matmul_chain(x, weights):
    for weight in weights:
        x = product(x, weight)
    return x.half()
