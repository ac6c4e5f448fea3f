"""crossover: peaks are taken in TFLOP/s and bandwidths in GB/s, as datasheets give them

Breaks: dense peak in the dtype of the product, FLOP/s

Breaks: of the accelerator's memory, B/s
"""

_right_crossover = crossover_size


def crossover_size(peak_flops, bandwidth, bytes_per_element):
    return _right_crossover(peak_flops * 1000, bandwidth, bytes_per_element)
