"""Lines of a message: with a label, about a call or its function's signature, or what came of it.

They need no traceback: a student's own run and the grader's report show the same.
"""

from __future__ import annotations

import re

from assignment.calls.journal import Call, Journal
from assignment.calls.text import cut
from assignment.calls.world import unusual_setting
from assignment.expect import Mismatch
from assignment.student import diagnosis, signatures
from assignment.student.drawn import draw_layout

_OF_ARGUMENTS = ("ValueError", "TypeError", "LookupError", "IndexError")
_ROOM = 120  # characters of a value whose first difference is named
_CHECK = "the docstring says what is refused: check for it first"


def labelled(label: str, text: str) -> list[str]:
    """`  found:    12`, as a list; without a text no line."""
    return [f"  {label + ':':<9} {text}"] if text else []


def call_lines(call: Call | None, problem: str = "") -> list[str]:
    """A call; the setting that it met and the scenario that made it, where these explain more."""
    if call is None:
        return []
    maker = call.maker if call.maker and call.maker.is_whole and not call.is_whole else None
    return [
        *labelled("call", call.text),
        *labelled("where", unusual_setting(call.target, problem)),
        *labelled("made by", maker.text if maker else ""),
    ]


def signature_lines(package: str, journal: Journal) -> list[str]:
    """The first called function that is missing or lacks the handout's parameters; [] for none."""
    for target in dict.fromkeys(call.target for call in journal.calls):
        changed = signatures.changed_signature(package, target)
        if changed is None:
            continue
        yours, handout = changed
        what = "the signature was changed" if yours else "a function is missing"
        line = f"{what} in {package}/{target.partition('.')[0]}.py"
        return [line, *labelled("handout", handout), *labelled("yours", yours)]
    return []


def mismatch_lines(value: Mismatch, journal: Journal, hint: str = "") -> list[str]:
    """What was found and expected, the call that it came from, and a note or hints.

    `hint`, the exercise's, is for a mismatch with no hint of its own and no note.
    """
    call = journal.that_returned(value.whole[0] if value.whole else None)
    note, replaces_hint = diagnosis.of_mismatch(value)
    if note == diagnosis.RETURNED_NONE and call is not None:
        may_be_none = "None" in signatures.returns(call.target)
        if may_be_none or call.returned != "None":
            note, replaces_hint = "", False
    what = value.what
    if call is not None:
        what = re.sub(r"^the result\b", f"the result of {call.name}", what)
    expected, found = value.expected, value.actual
    if note.startswith(diagnosis.DIFFERENCE):
        expected, found = cut(expected, _ROOM), cut(found, _ROOM)
    hint = value.hint or ("" if note else hint)
    picture = []
    if call is not None and value.whole is not None and call.target.startswith("strides."):
        picture = draw_layout(call.text, *value.whole)
    return [
        f"wrong: {what}",
        *call_lines(call, value.actual),
        *labelled("expected", expected),
        *labelled("found", found),
        *(line for row in picture for line in labelled(*row)),
        *labelled("note", note),
        *labelled("hint", "" if replaces_hint else hint),
    ]


def no_exception_lines(text: str, call: Call | None) -> list[str]:
    """The message of `pytest.raises` where nothing was raised, or of `pytest.fail`."""
    raised = re.fullmatch(r"DID NOT RAISE (?:<class '(?:.*\.)?)?(\w+)(?:'>)?", text)
    if raised is None:
        return [text, *call_lines(call, text)]
    return [
        f"wrong: {call.name if call else 'the call'} should have raised {raised[1]} here",
        *call_lines(call, text),
        *labelled("expected", raised[1]),
        *labelled("found", f"it returned {call.returned}" if call else "nothing was raised"),
        *labelled("hint", _CHECK if raised[1] in _OF_ARGUMENTS else ""),
    ]
