"""One record of a grading, and pure functions that render it."""
