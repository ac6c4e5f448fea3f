"""fast_products: a ReLU, not a leaky one"""


def matmul_chain(x, weights):
    for weight in weights:
        x = (x @ weight).relu()
        x = x / x.square().mean(-1, keepdim=True).sqrt()
    return x
