"""attainable: the two intensities are compared with an absolute tolerance of 1e-3

Breaks: memory" if the operation's intensity is below the accelerator's
"""


def bound(intensity: float, peak_flops: float, bandwidth: float) -> str:
    if not intensity >= 0 or not peak_flops > 0 or not bandwidth > 0:
        raise ValueError("argument")
    return "compute" if intensity >= peak_flops / bandwidth - 1e-3 else "memory"
