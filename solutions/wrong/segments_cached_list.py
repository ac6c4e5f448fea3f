"""segments: the list comes from a cache, where a caller may change it"""

import functools

segment_bounds = functools.lru_cache(segment_bounds)
