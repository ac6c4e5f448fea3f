"""fast_products: writes into x"""


def matmul_chain(x, weights):
    for weight in weights:
        x.copy_(torch.nn.functional.leaky_relu(x @ weight, 0.8))
        x /= x.square().mean(-1, keepdim=True).sqrt()
    return x
