"""What `grader verify` grades; here, since a packed grader holds no authoring."""

from enum import StrEnum


class Kind(StrEnum):
    """What a submission is verified for."""

    REFERENCE = "reference"  # full marks
    ALTERNATIVE = "alternative"  # full marks
    HANDOUT = "handout"  # nothing
    ROTE = "rote"  # nothing hidden
    PARROT = "parrot"  # nothing hidden
    WRONG = "wrong"  # less in its exercise
