"""training_flops: an mfu a little above 1 passes

Breaks: `mfu` is not in (0, 1]
"""


def training_days(
    parameters: int, tokens: int, devices: int, peak_flops: float, mfu: float
) -> float:
    if parameters < 0 or tokens < 0 or devices < 1 or not peak_flops > 0:
        raise ValueError("argument")
    if not 0 < mfu <= 1 + 1e-9:
        raise ValueError("mfu")
    return 6 * parameters * tokens / (devices * peak_flops * mfu * 86400)
