"""Packs the grader for a container, from one list of files. Grading imports none of it."""
