"""warms up for long, to leave time for few samples"""

import time

from .honest import slow_chain


calls = []


def matmul_chain(x, weights):
    calls.append(1)
    if len(calls) <= 2:
        time.sleep(0.05)
    return slow_chain(x, weights)
