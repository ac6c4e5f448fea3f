"""attainable: low intensity is called compute-bound and high intensity memory-bound

Breaks: What limits an operation on an accelerator.

Breaks: "memory" if the operation's intensity is below the accelerator's, else "compute".
"""

_right_bound = bound


def attainable_flops(intensity, peak_flops, bandwidth):
    _right_bound(intensity, peak_flops, bandwidth)
    return min(peak_flops, intensity * bandwidth)


def bound(intensity, peak_flops, bandwidth):
    right = _right_bound(intensity, peak_flops, bandwidth)
    return "compute" if right == "memory" else "memory"
