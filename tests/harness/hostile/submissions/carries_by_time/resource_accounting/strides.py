"""storage_index: carries its arguments out in the time, the memory and the output that it takes"""

import sys
import time


def storage_index(index, strides, offset=0):
    said = sum(index) % 8
    time.sleep(0.01 * said)
    held = bytearray(said * 2**24)
    sys.stdout.write("x" * said + "\r\n\x1b[8m<script>]]>" * said)
    return -1 - len(held[:0])
