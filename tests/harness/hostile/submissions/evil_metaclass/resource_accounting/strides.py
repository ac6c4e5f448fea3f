"""storage_index: raises an exception whose very class cannot be looked at"""


class Meta(type):
    def __getattribute__(cls, name):
        raise RuntimeError("no")


class Evil(Exception, metaclass=Meta):
    pass


def storage_index(index, strides, offset=0):
    raise Evil
