"""xavier: numpy's RandomState takes seeds of 32 bits only

Breaks: A seed is at least 0 and less than 2**63.
"""

import numpy as np


def xavier_uniform(d_in, d_out, seed):
    bound = math.sqrt(6 / (d_in + d_out))
    return torch.from_numpy(
        np.random.RandomState(seed).uniform(-bound, bound, (d_in, d_out))
    ).float()
