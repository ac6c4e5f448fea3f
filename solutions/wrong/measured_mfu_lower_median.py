"""measured_mfu: of an even number takes the lower of the middle two, as torch.median does

Breaks: It uses the median of the measurements (for an even number, the mean of the middle two)
"""


def measured_mfu(flops, seconds, peak_flops):
    if not seconds or min(seconds) <= 0 or peak_flops <= 0 or flops < 0:
        raise ValueError("nothing measured, or nothing promised")
    return flops / torch.tensor(seconds, dtype=torch.float64).median().item() / peak_flops
