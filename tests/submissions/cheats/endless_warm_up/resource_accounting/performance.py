"""warms up without an end, to hold the device for as long as it may"""

import time


def matmul_chain(x, weights):
    time.sleep(10**6)
