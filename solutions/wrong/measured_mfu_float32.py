"""measured_mfu: computes in float32"""


def measured_mfu(flops, seconds, peak_flops):
    if not seconds or min(seconds) <= 0 or peak_flops <= 0 or flops < 0:
        raise ValueError("nothing measured, or nothing promised")
    middle = torch.tensor(statistics.median(seconds))
    return float(torch.tensor(float(flops)) / middle / peak_flops)
