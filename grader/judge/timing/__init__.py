"""Timing tests: races between a submission and the reference, by the judge's own clock."""
