"""The message that each of many typical mistakes gets, in `messages/`."""

import functools
from collections import Counter

import pytest

from assignment import manifest
from tests.harness.assignment.messages import mistakes
from tests.harness.conftest import long_unless

EVERY = {path: list(mistakes.read(path)) for path in mistakes.files()}
SHORT = "every twelfth mistake"
PARTS = (SHORT, "the others")


def those(part):
    """The mistakes of a part."""
    every = [mistake for some in EVERY.values() for mistake in some]
    return [m for i, m in enumerate(every) if (i % 12 == 0) is (part == SHORT)]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The mistakes of a part, with the message that each gets now."""

    @functools.cache
    def run(part):
        return {m.name: m for m in mistakes.run(those(part), tmp_path_factory.mktemp("messages"))}

    return run


@pytest.mark.parametrize("part", long_unless(PARTS, SHORT))
def test_each_mistake_gets_its_message(found, part):
    for mistake in those(part):
        now = found(part)[mistake.name]
        assert now.message == mistake.message, (
            f"{mistake.name}: another message; if it is as good, "
            "`python -m tests.harness.assignment.messages.mistakes` writes it down"
        )


@pytest.mark.parametrize(
    ("message", "is_same"),
    [
        ("found: 0.06320438260494969, for 3", True),
        ("found: 0.0632045, for 3", False),
        ("found: -0.06320438260494982, for 3", False),
        ("found: 0.06320438260494982, for 4", False),
        ("found: 0.06320438260494982, 0.06320438260494982, for 3", False),
    ],
)
def test_only_last_digits_may_differ(message, is_same):
    recorded = "found: 0.06320438260494982, for 3"
    assert (mistakes.with_digits_of(recorded, message) == recorded) is is_same


def test_mistakes_are_of_every_chapter_and_have_names_of_their_own():
    names = Counter(m.name for some in EVERY.values() for m in some)
    assert len(names) >= 60
    assert max(names.values()) == 1
    assert {path.stem for path in EVERY} == {exercise.chapter for exercise in manifest.load()}


@pytest.mark.parametrize("part", long_unless(PARTS, SHORT))
def test_each_message_has_the_call_what_came_and_a_thought(found, part):
    for mistake in found(part).values():
        if "No test can run yet" in mistake.message:
            continue  # the file cannot be imported
        labels = {line.strip().partition(":")[0] for line in mistake.message.splitlines()}
        assert "call" in labels, mistake.message
        # A loop has come to nothing yet; what a call leaves changed or shares is in the first line.
        ways = "still running", " leaves ", "in the memory of"
        says_itself = any(way in mistake.message for way in ways)
        assert says_itself or labels & {"found", "handout"}, mistake.message
        assert labels & {"hint", "note", "handout", "error"}, mistake.message
