"""decode_roofline: peak and bandwidth are not checked

Breaks: an argument is not positive, or `kv_heads` does not divide `heads`.
"""

_right_step = decode_step


def decode_step(*, peak_flops, bandwidth, **step):
    return _right_step(
        peak_flops=abs(peak_flops) or 1e-300, bandwidth=abs(bandwidth) or 1e-300, **step
    )
