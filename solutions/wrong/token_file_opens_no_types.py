"""token_file: asks the given dtype for its name, which np.uint16 does not have, when the file is opened"""

import numpy as np


def open_tokens(path, dtype):
    name = dtype if isinstance(dtype, str) else dtype.name
    return np.memmap(path, dtype=np.dtype(name).newbyteorder("<"), mode="r")
