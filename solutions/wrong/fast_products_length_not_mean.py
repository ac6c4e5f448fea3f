"""fast_products: divides by the length of a row, not by its root mean square

Breaks: each of its rows is divided by the row's root mean square
"""


def matmul_chain(x, weights):
    for weight in weights:
        x = torch.nn.functional.normalize(torch.nn.functional.leaky_relu(x @ weight, 0.8), dim=-1)
    return x
