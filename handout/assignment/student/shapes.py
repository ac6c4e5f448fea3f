"""Shape errors in few lines: the argument, the shape that its annotation expects, the one found.

jaxtyping's own message says the same in as many lines as a traceback.
"""

from __future__ import annotations

import re


def shape_error(text: str) -> str | None:
    """The message of a failed shape check in three or four lines; None for any other text.

    flops.mean: argument x is not as annotated
      expected: Float[Tensor, 'batch d']
      found:    f32[3]
      with:     batch=2

    The sizes after `with` are those that the annotations of the parameters name.
    """
    function = re.search(r"checking the (?:parameters|return value) of (\S+?)\.?$", text, re.M)
    found = re.search(r"^Actual value: (.*?)$(?=\nExpected type:)", text, re.M | re.S)
    expected = re.search(r"^Expected type: (.*)$", text, re.M)
    if not (function and found and expected):
        return None
    argument = re.search(r"typechecking parameter '(\w+)'", text)
    thing = f"argument {argument[1]}" if argument else "what it returned"
    what = ".".join(function[1].replace("<locals>.", "").split(".")[-2:])
    value = " ".join(found[1].split()).removesuffix("(torch)")
    value = re.sub(r"(?<=\d)\[\]$", "[], without dimensions", value)
    lines = [
        f"{what}: {thing} is not as annotated",
        f"  expected: {_type(expected[1])}",
        f"  found:    {value}",
    ]
    sizes = re.search(r"axis annotation are as follows\.\n((?:[^\s=]+=.*\n?)+)", text)
    given = re.search(r"^Parameter annotations: \((.*)\) ->", text, re.M)
    known = set(re.findall(r"\w+", given[1])) if given else set()
    if sizes and (shown := [s for s in sizes[1].split() if s.partition("=")[0] in known]):
        lines.append(f"  with:     {', '.join(shown)}")
    return "\n".join(lines)


def _type(text: str) -> str:
    """The name of a type that jaxtyping's message shows."""
    inner = re.fullmatch(r"<class '(.*)'>\.?", text.strip())
    return (inner[1] if inner else text.strip().rstrip(".")).removeprefix("jaxtyping.")
