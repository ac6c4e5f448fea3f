"""Trusted: stages a submission, starts workers, runs the tests, scores."""
