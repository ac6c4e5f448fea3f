"""storage_index: never returns, and ignores every signal that it can"""

import signal

for number in range(1, 32):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass


def storage_index(index, strides, offset=0):
    while True:
        pass
