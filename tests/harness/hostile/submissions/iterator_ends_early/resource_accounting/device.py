"""prefetch: ends its iterator by a StopIteration that it raises and throws in the midst"""


def stop():
    raise StopIteration(1, 2, 3)


class Batches:
    def __init__(self, batches):
        self.batches = iter(batches)

    def __iter__(self):
        return self

    def __next__(self):
        if self.batches:
            self.batches = None
            raise StopIteration(((1,),), "and more")
        stop()


def prefetch(batches, device):
    return Batches(batches)
