"""What the assignment is: its exercises, the programs that drive them, and the pytest plugin.

Public: this package travels in the handout, and imports nothing else of this repository.
"""
