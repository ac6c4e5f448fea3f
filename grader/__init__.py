"""The grader: judges a submission from a process its code never enters."""
