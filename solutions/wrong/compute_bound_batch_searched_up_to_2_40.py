"""decode_roofline: searches among the batches up to 2**40

Breaks: The smallest batch for which the weights' part of a decode step is bound by compute.
"""

import bisect


def compute_bound_batch(bytes_per_weight: float, peak_flops: float, bandwidth: float) -> int:
    if any(not n > 0 for n in (bytes_per_weight, peak_flops, bandwidth)):
        raise ValueError("not positive")
    width, peak, speed = Fraction(bytes_per_weight), Fraction(peak_flops), Fraction(bandwidth)
    batches = range(1, 2**40)
    return batches[0] + bisect.bisect_left(batches, width * peak, key=lambda n: 2 * n * speed)
