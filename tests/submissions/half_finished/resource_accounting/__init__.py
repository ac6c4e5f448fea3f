"""Resource accounting for deep learning: memory, compute and bandwidth, one topic per module."""
