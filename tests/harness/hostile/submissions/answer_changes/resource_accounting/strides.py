"""storage_index: changes its answer in a thread while it is being sent"""

import sys
import threading

import assignment.calls.world

assignment.calls.world.World.call = lambda self, target, function, args, kwargs: function(
    *args, **kwargs
)

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
