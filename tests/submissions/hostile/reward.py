"""Right answers of storage_index, for attacks that found or did what they tried."""

import subprocess

REFUSED = (OSError, ValueError, AttributeError, RuntimeError, IndexError, ImportError)
REFUSED += (subprocess.SubprocessError,)


def right(index, strides, offset=0):
    return sum(i * s for i, s in zip(index, strides)) + offset


def right_if_any(attempts, wins=bool):
    """A storage_index that makes all attempts at each call, and is right if one wins."""

    def storage_index(index, strides, offset=0):
        won = [attempt for attempt in attempts() if succeeds(attempt, wins)]
        return right(index, strides, offset) if won else 0

    return storage_index


def right_if_any_is_done(attempts):
    """A storage_index that is right if an attempt raises nothing."""
    return right_if_any(attempts, wins=lambda result: True)


def succeeds(attempt, wins):
    try:
        return wins(attempt())
    except REFUSED:
        return False
