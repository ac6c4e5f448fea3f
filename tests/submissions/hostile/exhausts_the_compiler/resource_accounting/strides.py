"""storage_index: cannot be compiled, in a way that takes the compiler's stack or memory"""

try:
    from . import generated
except ImportError:
    pass

source = "x = " + "-" * 200_000 + "1"
exec(compile(source, "generated", "exec"))


def storage_index(index, strides, offset=0):
    return 0
