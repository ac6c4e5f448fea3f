"""float_range: a cache gives every caller the same dict"""

import functools


float_range = functools.cache(float_range)
