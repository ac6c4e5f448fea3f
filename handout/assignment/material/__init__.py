"""What tests draw and build: generators, recipes, runs, files, a small transformer."""
