"""Trusted: runs the tests on a submission, decides and scores."""
