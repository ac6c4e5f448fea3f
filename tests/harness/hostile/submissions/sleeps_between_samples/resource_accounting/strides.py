"""storage_index: sleeps in slices of a millisecond, and works between them, so that few samples see it asleep"""

import time


def storage_index(index, strides, offset=0):
    while True:
        time.sleep(0.001)
        sum(range(200))
