"""fast_products: computes in bfloat16 on a CPU as well

Breaks: On a CUDA device the products may be done in bfloat16
"""


def matmul_chain(x, weights):
    y = x.bfloat16()
    for weight in weights:
        y = torch.nn.functional.leaky_relu(y @ weight.bfloat16(), 0.8)
        y = torch.nn.functional.rms_norm(y, y.shape[-1:])
    return y.to(x.dtype)
