"""fast_products: a ReLU, not a leaky one

Breaks: For each weight, x becomes leaky_relu(x @ weight) with a slope of 0.8
"""


def matmul_chain(x, weights):
    for weight in weights:
        x = (x @ weight).relu()
        x = x / x.square().mean(-1, keepdim=True).sqrt()
    return x
