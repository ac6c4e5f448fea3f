"""time_function: has two threads use the clock and the function at one time, past the lock between them"""

import threading

from grader.worker.channel import receive, send


def inside(stand_in):
    """The worker's own object that talks to the judge, and the number of a stand-in."""
    cells = dict(zip(stand_in.__code__.co_freevars, stand_in.__closure__))
    return cells["self"].cell_contents, cells["number"].cell_contents


def time_function(function, *, warmup=2, repeats=5, synchronize=None, clock=None):
    us, number = inside(clock or function)

    def use():
        for i in range(5):
            said = {"use": i, "function": number, "args": (), "kwargs": {}}
            send(us._channel, us._call_id, said)
            both.wait()

    both = threading.Barrier(2)
    threads = [threading.Thread(target=use) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [receive(us._channel)[1]["returned"] for _ in range(repeats)]
