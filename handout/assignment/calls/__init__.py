"""What a call means: the same at home and in the grader."""
