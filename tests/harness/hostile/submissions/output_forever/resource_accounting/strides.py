"""storage_index: prints from several threads without an end"""

import os
import threading


def forever():
    block = b"x" * 65536
    while True:
        os.write(1, block)


def storage_index(index, strides, offset=0):
    for _ in range(3):
        threading.Thread(target=forever).start()
    forever()
