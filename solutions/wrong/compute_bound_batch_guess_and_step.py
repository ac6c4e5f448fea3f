"""decode_roofline: a float's guess, corrected exactly but by at most one

Breaks: The comparison is exact, for the numbers that the floats hold.
"""


def compute_bound_batch(bytes_per_weight: float, peak_flops: float, bandwidth: float) -> int:
    if any(not n > 0 for n in (bytes_per_weight, peak_flops, bandwidth)):
        raise ValueError("not positive")
    guess = max(1, math.ceil(bytes_per_weight * peak_flops / bandwidth / 2))
    width, peak, speed = Fraction(bytes_per_weight), Fraction(peak_flops), Fraction(bandwidth)
    for batch in (guess - 1, guess):
        if batch >= 1 and 2 * batch * speed >= width * peak:
            return batch
    return guess + 1
