"""independent_streams: a checksum of 32 bits

Breaks: Two streams collide with a probability of about one in 2**63, and each of the 63 bits is
equally often 0 and 1.
"""

import zlib


def stream_seed(seed, *keys):
    for key in keys:
        if not isinstance(key, (int, str)):
            raise TypeError(key)
    return zlib.crc32(repr((seed, *keys)).encode())
