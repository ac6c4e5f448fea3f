"""Packs the grader for a container: only what grading needs, from one list of files."""
