"""A checkout for the tests of packing."""

from grader.pack import files


def copied(folder):
    """A checkout that a test may change."""
    root = folder / "checkout"
    files.write_files(files.contents(), root)
    return root
