"""A worker's syncs and renames, with the files that were there just before each."""

from __future__ import annotations

import socket
from collections.abc import Callable

from assignment.file_calls import Call, File, Names
from grader import messages
from grader.judge.control import Descriptor, PendingReply
from grader.judge.failure import SubmissionFailure
from grader.judge.listener import Announced, Listener
from grader.results.causes import Cause

MAX_CALLS = 100  # for a worker; a save makes three to six


class FileCalls(Listener):
    """Notes the syncs and renames of one worker; those that it names are the syncs.

    Attributes:
        look: asks for the worker's files, and for the one behind a descriptor of the worker's.
        calls: what was announced until now.
    """

    watch = "syncs"

    def __init__(self, connection: socket.socket) -> None:
        super().__init__(connection)
        # Synced files: no new file gets the number of their inode.
        self._held: list[Descriptor] = []
        self.look: Callable[[int], PendingReply] | None = None
        self.calls: list[Call] = []

    def _before(self, call: Announced) -> None:
        """Notes a call; raises SubmissionFailure also for too many files."""
        assert self.look is not None, "nobody has said how to look at the worker's files"
        if len(self.calls) >= MAX_CALLS:
            raise SubmissionFailure(Cause.DISK, f"more than {MAX_CALLS} syncs and renames")
        reply = self.look(call.argument & 0x7FFFFFFF if call.is_named else -1)
        found = reply.wait(messages.Files)
        self._held += reply.descriptors
        self.calls.append(Call(names(found), File(*found.file) if found.file else None))

    def _interrupted(self) -> None:
        self.calls.pop()

    def close(self) -> None:
        super().close()
        for file in self._held:
            file.close()


def names(found: messages.Files) -> Names:
    """The files of a reply; raises SubmissionFailure if they did not fit into it."""
    if found.too_many:
        raise SubmissionFailure(Cause.DISK, "more files than any correct save needs")
    return {name: File(*file) for name, file in found.names.items()}
