"""crossover: peaks are taken in TFLOP/s and bandwidths in GB/s, as datasheets give them

Breaks: An accelerator does at most `peak_flops` FLOP/s (its dense peak in the operation's dtype)
and moves at most `bandwidth` B/s
"""

_right_crossover = crossover_size


def crossover_size(peak_flops, bandwidth, bytes_per_element):
    return _right_crossover(peak_flops * 1000, bandwidth, bytes_per_element)
