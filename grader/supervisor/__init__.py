"""Processes that run a submission: started, asked, measured and ended."""
