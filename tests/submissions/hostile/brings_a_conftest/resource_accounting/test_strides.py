"""storage_index: brings a conftest and tests that pass, in its package and beside it"""

import pytest


@pytest.mark.exercise("storage_index", weight=1000)
def test_index_follows_the_strides():
    pass
