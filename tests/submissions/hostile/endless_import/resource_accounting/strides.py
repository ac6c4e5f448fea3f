"""storage_index: never finishes its import"""

while True:
    pass
