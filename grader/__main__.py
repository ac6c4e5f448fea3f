"""`python -m grader`."""

import faulthandler

from grader.cli import main

faulthandler.enable()  # a crash inside a library shows where
main()
