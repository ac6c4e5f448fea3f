"""For authors: builds the handout from the solutions, verifies the assignment."""
