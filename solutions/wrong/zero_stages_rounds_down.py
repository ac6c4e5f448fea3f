"""zero_stages: the share is rounded down, and a few parameters are on no device

Breaks: on the fullest device if they differ

Breaks: If the devices cannot get equal shares, the fullest device holds ceil(parameters / devices)
parameters of each sharded part.
"""


def zero_bytes(parameters, devices, stage, recipe):
    if stage not in range(4) or devices < 1 or parameters < 0:
        raise ValueError("cannot be")
    return sum(
        each * (parameters // devices if stage >= _SHARDED_FROM[part] else parameters)
        for part, each in _bytes_by_part(recipe).items()
    )
