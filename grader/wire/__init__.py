"""All that crosses the boundary of a process."""
