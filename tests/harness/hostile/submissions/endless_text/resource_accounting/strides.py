"""storage_index: raises an exception whose text never ends"""


class Endless(Exception):
    def __str__(self):
        while True:
            pass


def storage_index(index, strides, offset=0):
    raise Endless
