"""The grader: judges a submission from a process its code never enters."""

__version__ = "0.1.0"
