"""Beside the submission: zygote and serve loop. Nothing here is secret."""
