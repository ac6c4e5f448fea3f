"""time_function: by default waits for CUDA, which a CPU does not have

Breaks: By default `torch.cuda.synchronize` where CUDA is available; on a CPU there is nothing to
wait for.
"""

_right_time_function = time_function


def time_function(function, *, synchronize=torch.cuda.synchronize, **how):
    return _right_time_function(function, synchronize=synchronize, **how)
