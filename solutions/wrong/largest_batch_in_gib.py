"""largest_batch: the device's memory is taken for GiB

Breaks: device_bytes: memory of the device, in bytes; an 80 GB device has 80 * 10**9.
"""

_largest = largest_batch


def largest_batch(device_bytes, recipe, **model):
    return _largest(device_bytes * 2**30 // 10**9, recipe, **model)
