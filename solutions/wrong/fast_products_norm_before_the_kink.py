"""fast_products: the norm comes before the leaky ReLU"""


def matmul_chain(x, weights):
    for weight in weights:
        x = x @ weight
        x = torch.nn.functional.leaky_relu(x / x.square().mean(-1, keepdim=True).sqrt(), 0.8)
    return x
