"""zero_stages: bytes are shared out, not parameters, so that some are cut in two

Breaks: A parameter is never split.
"""


def zero_bytes(parameters, devices, stage, recipe):
    if stage not in range(4) or devices < 1 or parameters < 0:
        raise ValueError("cannot be")
    return sum(
        -(-parameters * each // devices) if stage >= _SHARDED_FROM[part] else parameters * each
        for part, each in _bytes_by_part(recipe).items()
    )
