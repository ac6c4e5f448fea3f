"""Honest work, beside each cheat: eight times the reference's, so that only the cheat is fast."""


def product(x, weight):
    x = x @ weight
    x = x.maximum(0.8 * x)
    return x / x.square().mean(-1, keepdim=True).sqrt()


def slow_chain(x, weights):
    for weight in weights:
        for _ in range(8):
            y = product(x, weight)
        x = y
    return x
