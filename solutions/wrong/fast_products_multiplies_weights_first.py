"""fast_products: multiplies the weights with each other first, and forgets the kinks between"""


def matmul_chain(x, weights):
    product = weights[0]
    for weight in weights[1:]:
        product = product @ weight
    x = torch.nn.functional.leaky_relu(x @ product, 0.8)
    return x / x.square().mean(-1, keepdim=True).sqrt()
