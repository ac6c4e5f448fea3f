"""The assignment: its exercises, the code that drives them in tests, and the pytest plugin.

Public: this package is part of the handout, and imports nothing else of this repository.
"""
