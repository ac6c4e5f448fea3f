"""What code changes around it: settings, random generators, threads."""

import threading

IDLE = threading.Event()  # for threads that a test leaves
# Lines that change a setting, each with what is said of it.
SETTINGS = {
    "torch.set_grad_enabled(False)": "torch.is_grad_enabled() is False after the import",
    "torch.set_default_dtype(torch.float64)": "torch.get_default_dtype() is torch.float64",
    "torch.set_autocast_enabled('cpu', True)": "torch.is_autocast_enabled('cpu') is True",
    "torch.use_deterministic_algorithms(True)": "torch.are_deterministic_algorithms_enabled()",
    "torch.set_num_threads(torch.get_num_threads() + 1)": "torch.get_num_threads() is ",
    "os.chdir('/')": "the working folder is / after the import (it was ",
    "gc.disable()": "gc.isenabled() is False after the import (it was True)",
    "sys.setrecursionlimit(4321)": "sys.getrecursionlimit() is 4321 after the import (it was ",
    "random.seed(0)": "the import leaves the global generator of random changed",
    "np.random.randn()": "the import leaves the global generator of numpy changed",
    "torch.manual_seed(0)": "the import leaves the global generator of torch changed",
    "warnings.simplefilter('ignore')": "the import leaves warnings.filters changed",
}
LIBRARIES = "import gc, os, random, sys, threading, warnings\nimport numpy as np\nimport torch\n"


def end_idle_threads(before):
    """Ends the threads that a test left; one that still ends would be counted by the next test."""
    IDLE.set()
    for thread in threading.enumerate():
        if thread not in before:
            thread.join()
