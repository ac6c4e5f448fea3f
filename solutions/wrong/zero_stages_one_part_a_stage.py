"""zero_stages: each stage shards its own part alone, not those of the stages below too

Breaks: | stage | every device holds all of | sharded among the devices |
|-------|---------------------------------|-------------------------------| | 0 | everything | | | 1
| parameters, gradients | optimizer, master | | 2 | parameters | optimizer, master, gradients | | 3
| | everything |
"""


def zero_bytes(parameters, devices, stage, recipe):
    if stage not in range(4) or devices < 1 or parameters < 0:
        raise ValueError("cannot be")
    share = -(-parameters // devices)
    return sum(
        each * (share if stage == _SHARDED_FROM[part] else parameters)
        for part, each in _bytes_by_part(recipe).items()
    )
