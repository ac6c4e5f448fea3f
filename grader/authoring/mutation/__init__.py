"""Mutates the reference, one small change at a time, and asks whether the hidden tests notice."""
