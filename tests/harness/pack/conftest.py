"""A checkout for the tests of packing."""

from grader.pack import files


def copied(folder):
    """A checkout that a test may change."""
    root = folder / "checkout"
    for name, content in files.contents().items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root
