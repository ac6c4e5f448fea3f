"""mfu (core): one device's peak is compared with the work of all

Breaks: FLOPs that the model needed, over all devices

Breaks: dense peak of one device in the dtype of the matrix products, FLOP/s
"""

_right_mfu = mfu


def mfu(flops, seconds, peak_flops, devices=1):
    return _right_mfu(flops, seconds, peak_flops, devices) * devices
