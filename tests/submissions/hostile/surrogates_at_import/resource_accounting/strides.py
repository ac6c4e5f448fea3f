"""storage_index: fails its import with text, file and class that no encoding can write"""

error = type("N\udcff", (ImportError,), {})("\ud800" * 10**5) if 0 else None
error = SyntaxError("\ud800", ("\udc80.py\0", -1, 10**30, "\ud800"))
error.add_note("\udfff")
raise error
