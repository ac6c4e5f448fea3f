"""fast_products: divides columns, not rows

Breaks: each of its rows is divided by the row's root mean square
"""


def matmul_chain(x, weights):
    for weight in weights:
        x = torch.nn.functional.leaky_relu(x @ weight, 0.8)
        x = x / x.square().mean(0, keepdim=True).sqrt()
    return x
