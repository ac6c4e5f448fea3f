"""What a machine lacks for a grading."""
