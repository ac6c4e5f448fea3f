"""independent_streams: a checksum of 32 bits"""

import zlib


def stream_seed(seed, *keys):
    for key in keys:
        if not isinstance(key, (int, str)):
            raise TypeError(key)
    return zlib.crc32(repr((seed, *keys)).encode())
