"""decode_roofline: decimals of 50 digits instead of exact numbers

Breaks: The comparison is exact, for the numbers that the floats hold.
"""

from decimal import ROUND_CEILING, Decimal, localcontext


def compute_bound_batch(bytes_per_weight: float, peak_flops: float, bandwidth: float) -> int:
    if any(not n > 0 for n in (bytes_per_weight, peak_flops, bandwidth)):
        raise ValueError("not positive")
    with localcontext() as context:
        context.prec = 50
        batch = Decimal(bytes_per_weight) * Decimal(peak_flops) / (2 * Decimal(bandwidth))
        return int(batch.to_integral_value(ROUND_CEILING))
