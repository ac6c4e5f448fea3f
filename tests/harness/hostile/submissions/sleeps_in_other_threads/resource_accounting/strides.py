"""storage_index: waits in its first thread for threads that wait for each other, in polls, pipes and futexes"""

import os
import select
import signal
import threading


def storage_index(index, strides, offset=0):
    reads, _ = os.pipe()
    waits = (
        lambda: os.read(reads, 1),
        lambda: select.select([reads], [], []),
        threading.Event().wait,
        threading.Condition().acquire,
    )
    threads = [threading.Thread(target=wait, daemon=True) for wait in waits]
    for thread in threads:
        thread.start()
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))
    for thread in threads:
        thread.join()
    return 0
