"""largest_batch: bytes are computed in floats

Breaks: All results are exact ints.
"""

_modules = model_modules


def model_modules(**model):
    modules = _modules(**model)
    modules = [tuple(int(float(n)) for n in module) for module in modules]
    return modules
