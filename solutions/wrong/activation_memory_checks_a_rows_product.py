"""activation_memory: micro_batch_size checks the product of width and layers, which may be 0

Breaks: size is negative; or the dtype's elements are not a whole number of bytes.
"""


def micro_batch_size(batch, width, layers, dtype, budget):
    row = width * layers * bytes_per_element(dtype)
    if batch < 1 or row < 0 or width < 0 or row > budget:
        raise ValueError("does not fit")
    return max(n for n in range(1, batch + 1) if batch % n == 0 and n * row <= budget)
