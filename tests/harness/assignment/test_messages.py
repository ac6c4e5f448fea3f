"""The message that each of many typical mistakes gets, in `messages/`."""

from collections import Counter

import pytest

from assignment import manifest
from tests.harness.assignment.messages import mistakes

EVERY = {path: list(mistakes.read(path)) for path in mistakes.files()}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Each mistake, with the message that it gets now."""
    every = [mistake for some in EVERY.values() for mistake in some]
    return {m.name: m for m in mistakes.run(every, tmp_path_factory.mktemp("messages"))}


@pytest.mark.parametrize("path", EVERY, ids=lambda path: path.stem)
def test_each_mistake_gets_its_message(found, path):
    for mistake in EVERY[path]:
        now = found[mistake.name]
        assert now.message == mistake.message, (
            f"{mistake.name}: another message; if it is as good, "
            "`python -m tests.harness.assignment.messages.mistakes` writes it down"
        )


def test_mistakes_are_of_every_chapter_and_have_names_of_their_own():
    names = Counter(m.name for some in EVERY.values() for m in some)
    assert len(names) >= 60
    assert max(names.values()) == 1
    assert {path.stem for path in EVERY} == {exercise.chapter for exercise in manifest.load()}


def test_each_message_has_the_call_what_came_and_a_thought(found):
    for mistake in found.values():
        if "No test can run yet" in mistake.message:
            continue  # the file cannot be imported
        labels = {line.strip().partition(":")[0] for line in mistake.message.splitlines()}
        assert "call" in labels, mistake.message
        is_running = "still running" in mistake.message
        assert is_running or labels & {"found", "handout"}, mistake.message
        assert labels & {"hint", "note", "handout"}, mistake.message
