"""Text for people: numbers and counts as people write them, and text that a submission wrote."""

from __future__ import annotations

import re
import unicodedata

LIMIT = 4000  # characters of one text that a submission can influence


def points(value: float) -> str:
    """Points as people write them: 3, 2.5, 0.67."""
    return f"{value:.2f}".rstrip("0").rstrip(".") or "0"


def plural(count: int, noun: str) -> str:
    """`1 file`, `3 files`."""
    return f"{count} {noun}" + ("" if count == 1 else "s")


def printable(text: str) -> str:
    """Replaces each unprintable character, line feeds included, with "?"."""
    return "".join(c if c.isprintable() else "?" for c in text)


def clean(text: str, limit: int = LIMIT) -> str:
    """Text that a submission can influence, made safe for a terminal, XML and HTML.

    Removes terminal escape sequences, then every control character but line feed and tab, and
    characters that change the writing direction. Other line ends become line feeds, and blanks
    before them go. What UTF-8 or XML forbids becomes U+FFFD. The text is cut after `limit`
    characters, or four times as many that were not clean.
    """
    is_cut = len(text) > 4 * limit
    text = _SEQUENCE.sub("", text[: 4 * limit])
    text = re.sub("\r\n?|[\u2028\u2029\x85\v\f]", "\n", text)
    if text.isascii():  # most texts are, and there are thousands
        text = _CONTROL.sub("", text)
    else:
        text = "".join(_clean_character(character) for character in text)
    text = "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))
    return text[:limit].rstrip() + " … (cut)" if is_cut or len(text) > limit else text


def clean_name(text: str) -> str:
    """A file's name, as `clean` makes it, on one line."""
    return " ".join(clean(text, 200).split())


_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, the cursor, erasing
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"  # OSC, DCS
    r"|\x1b[ -/]*[0-~]"  # two characters: reset, charset
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_DIRECTION = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _clean_character(character: str) -> str:
    if character in "\n\t":
        return character
    category = unicodedata.category(character)
    if category == "Cc" or character in _DIRECTION:
        return ""
    is_noncharacter = ord(character) & 0xFFFE == 0xFFFE
    return "\ufffd" if category == "Cs" or is_noncharacter else character
