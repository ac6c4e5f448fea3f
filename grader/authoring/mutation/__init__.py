"""Mutation testing: changes the reference a little and checks that a hidden test fails."""
