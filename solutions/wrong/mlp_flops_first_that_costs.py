"""mlp_flops: drops layers of size 0 from the list, and then takes the next one for the first layer

Breaks: Every layer but the first must also compute its input's gradient
"""

from itertools import pairwise


def mlp_backward_flops(batch, widths, input_needs_grad):
    if len(widths) < 2 or batch < 0 or any(w < 0 for w in widths):
        raise ValueError("bad sizes")
    layers = list(filter(None, (2 * batch * a * b for a, b in pairwise(widths))))
    return 2 * sum(layers) - (0 if input_needs_grad else sum(layers[:1]))
