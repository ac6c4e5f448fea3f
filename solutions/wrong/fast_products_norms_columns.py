"""fast_products: divides columns, not rows"""


def matmul_chain(x, weights):
    for weight in weights:
        x = torch.nn.functional.leaky_relu(x @ weight, 0.8)
        x = x / x.square().mean(0, keepdim=True).sqrt()
    return x
