"""A student's own run of the public tests, and the commands of the handout."""
