"""view_strides: a dimension of size 1 with an odd stride breaks a view that exists

Breaks: The stride of a dimension of size 1 is never used
"""


def _runs(shape, strides):
    runs = []
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if runs and stride == runs[-1][0] * runs[-1][1]:
            runs[-1] = (runs[-1][0] * size, runs[-1][1])
        else:
            runs.append((size, stride))
    return [run for run in runs if run[0] != 1]
