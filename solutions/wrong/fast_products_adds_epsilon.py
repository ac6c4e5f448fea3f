"""fast_products: adds an epsilon that changes small rows"""


def matmul_chain(x, weights):
    for weight in weights:
        x = torch.nn.functional.leaky_relu(x @ weight, 0.8)
        x = torch.nn.functional.rms_norm(x, x.shape[-1:], eps=1e-5)
    return x
