"""Lines of a message: with a label, or about a call and its function's signature."""

from __future__ import annotations

from assignment import signatures
from assignment.journal import Call, Journal


def labelled(label: str, text: str) -> str:
    """`  found:    12`."""
    return f"  {label + ':':<9} {text}"


def call_lines(call: Call | None) -> list[str]:
    """A call; and the scenario that made it, if the call alone does not say all."""
    if call is None:
        return []
    lines = [labelled("call", call.text)]
    if call.maker is not None and not call.is_whole:
        lines.append(labelled("made by", call.maker.text))
    return lines


def signature_lines(package: str, journal: Journal) -> list[str]:
    """The first function of those called whose parameters are not the handout's; [] for none."""
    for target in dict.fromkeys(call.target for call in journal.calls):
        changed = signatures.changed(package, target)
        if changed is None:
            continue
        yours, handout = changed
        what = "the signature was changed" if yours else "a function is missing"
        lines = [f"{what} in {package}/{target.partition('.')[0]}.py", labelled("handout", handout)]
        return [*lines, labelled("yours", yours)] if yours else lines
    return []
