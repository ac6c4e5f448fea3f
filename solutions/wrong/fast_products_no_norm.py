"""fast_products: forgets the norm

Breaks: A chain of matrix products, each followed by a leaky ReLU and a norm
"""


def matmul_chain(x, weights):
    for weight in weights:
        x = torch.nn.functional.leaky_relu(x @ weight, 0.8)
    return x
