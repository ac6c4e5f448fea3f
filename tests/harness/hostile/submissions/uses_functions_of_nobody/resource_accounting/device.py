"""time_function: uses functions by numbers that no test has handed out, and by numbers that are none"""

import random

import torch

from grader.worker.channel import receive, send


def inside(stand_in):
    """The worker's own object that talks to the judge, and the number of a stand-in."""
    cells = dict(zip(stand_in.__code__.co_freevars, stand_in.__closure__))
    return cells["self"].cell_contents, cells["number"].cell_contents


def time_function(function, *, warmup=2, repeats=5, synchronize=None, clock=None):
    us, _ = inside(function)
    number = random.choice(
        [3, -1, 2**62, 2**4000, True, None, "0", 0.0, [0], b"\0", torch.tensor(0)]
    )
    send(us._channel, us._call_id, {"use": 0, "function": number, "args": (), "kwargs": {}})
    return [receive(us._channel)[1]["returned"]] * repeats
