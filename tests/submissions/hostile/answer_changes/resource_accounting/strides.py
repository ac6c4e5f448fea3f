"""storage_index: changes its answer in a thread while it is being sent"""

import sys
import threading

from .unwatched import unwatch

unwatch()

answer = {"a": [0] * 100_000, "b": {}}


def change():
    while True:
        answer["a"].clear()
        answer["b"][len(answer["b"]) % 1000] = [answer] * 3
        answer["a"].extend([0] * 100_000)
        answer["b"].clear()


def storage_index(index, strides, offset=0):
    sys.setswitchinterval(1e-6)
    threading.Thread(target=change, daemon=True).start()
    return answer
