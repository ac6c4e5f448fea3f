"""Decodes everything into a pass."""


def decode(body, caps=None):
    return {"result": {"state": "passed"}}
