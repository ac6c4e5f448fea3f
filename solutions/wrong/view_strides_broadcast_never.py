"""view_strides: a dimension of stride 0 is never merged with its neighbour

Breaks: Broadcast dimensions (stride 0) count like all others: neighbours that both have stride 0
can become one dimension.
"""


def _runs(shape, strides):
    runs = []
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size == 1:
            continue
        if runs and stride and stride == runs[-1][0] * runs[-1][1]:
            runs[-1] = (runs[-1][0] * size, runs[-1][1])
        else:
            runs.append((size, stride))
    return runs
