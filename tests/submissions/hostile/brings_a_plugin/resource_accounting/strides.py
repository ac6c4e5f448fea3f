"""storage_index: brings an installed plugin, its entry point, and settings that load it"""

import os
import sys

os.environ["PYTEST_PLUGINS"] = os.environ["PYTEST_ADDOPTS"] = "-p evil_plugin"
sys.path.insert(0, os.path.dirname(os.path.dirname(__file__)))
pytest_plugins = ["evil_plugin"]


def storage_index(index, strides, offset=0):
    return -1
