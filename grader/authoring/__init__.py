"""For authors: builds handout and site, verifies the assignment. Grading imports none of it."""
