"""time_function: sends uses whose fields are missing, too many, or of another kind"""

import random

import numpy as np
import torch

from grader.worker.channel import receive, send


def inside(stand_in):
    """The worker's own object that talks to the judge, and the number of a stand-in."""
    cells = dict(zip(stand_in.__code__.co_freevars, stand_in.__closure__))
    return cells["self"].cell_contents, cells["number"].cell_contents


def time_function(function, *, warmup=2, repeats=5, synchronize=None, clock=None):
    us, number = inside(clock or function)
    good = {"use": 0, "function": number, "args": (), "kwargs": {}}
    odd = random.choice(
        [
            {**good, "args": []},
            {**good, "args": np.zeros(2)},
            {**good, "args": None},
            {**good, "kwargs": {0: 1}},
            {**good, "kwargs": {True: 1}},
            {**good, "kwargs": []},
            {**good, "use": False},
            {**good, "use": torch.tensor(0)},
            {**good, "result": 0.0},
            {"use": 0, "function": number},
        ]
    )
    send(us._channel, us._call_id, odd)
    return [receive(us._channel)[1]["returned"]] * repeats
