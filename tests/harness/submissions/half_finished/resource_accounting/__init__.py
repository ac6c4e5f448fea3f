"""Resource accounting for deep learning: memory, compute and bandwidth, a topic a module."""
