"""Tests that time programs on a device."""
