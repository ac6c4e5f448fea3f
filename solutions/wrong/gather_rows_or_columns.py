"""gather (core): the elements after the offset, row by row or, if strides rise, column by column

Breaks: The tensor that a layout describes in flat storage
"""


def gather(storage, shape, strides, offset=0):
    count = math.prod(shape)
    if not count:
        return storage.new_empty(tuple(shape))
    steps = [(n - 1) * s for n, s in zip(shape, strides, strict=True)]
    first = offset + sum(min(step, 0) for step in steps)
    last = offset + sum(max(step, 0) for step in steps)
    if first < 0 or last >= len(storage):
        raise IndexError("out of range")
    elements = storage.repeat(count)[first:][:count]
    if list(strides) == sorted(strides, reverse=True):
        return elements.reshape(tuple(shape)).clone()
    columns = elements.reshape(tuple(shape)[::-1])
    return columns.permute(*range(len(shape))[::-1]).clone()
