"""expert_parameters: counts are rounded to a float's 53 bits"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    return {name: int(float(count)) for name, count in _right_counts(**sizes).items()}
