"""Attacks by one exception, which says more than is good, or cannot be looked at."""

import builtins
import os
import random
import sys

from assignment.calls import plain
from grader import isolation
from grader.wire import frames

DRAW = random.Random()  # drawing from the global generator is a failure of its own


class Evil(Exception):
    def __str__(self):
        os.write(1, b"evil text ran")
        raise KeyboardInterrupt

    __repr__ = __str__

    def __reduce__(self):
        return (os.system, ("touch /tmp/evil",))

    def __getattr__(self, name):
        raise SystemExit(0)


class Skipped(BaseException):
    """What pytest calls a skipped test, by its name."""


Evil.__module__ = Skipped.__module__ = "builtins"
Evil.__name__ = Evil.__qualname__ = "GraderFault"


def evil_exception(index, strides, offset=0):
    """storage_index: raises exceptions whose text and reduction run code, under borrowed names"""
    evil = [Evil(), Skipped("skip me"), KeyboardInterrupt(), GeneratorExit(), StopIteration(6)]
    raise DRAW.choice(evil)


def evil_metaclass(index, strides, offset=0):
    """storage_index: raises an exception whose very class cannot be looked at"""

    class Meta(type):
        def __getattribute__(cls, name):
            raise RuntimeError("no")

    class Unseen(Exception, metaclass=Meta):
        pass

    raise Unseen


def endless_text(index, strides, offset=0):
    """storage_index: raises an exception whose text never ends"""

    class Endless(Exception):
        def __str__(self):
            while True:
                pass

    raise Endless


def exception_groups(index, strides, offset=0):
    """storage_index: raises groups of exceptions within groups, wide and deep"""
    wide = ExceptionGroup("passed", [ValueError(i) for i in range(2000)])
    deep = ValueError("the end")
    for _ in range(500):
        deep = ExceptionGroup("deeper", [deep, KeyError(0)])
    ends = BaseExceptionGroup("ends", [SystemExit(0), KeyboardInterrupt(), deep])
    raise DRAW.choice([wide, deep, ends])


def endless_causes(index, strides, offset=0):
    """storage_index: raises an exception with a long chain of causes, which ends where it began"""
    first = last = ValueError("first")
    for _ in range(1500):
        last.__cause__ = last.__context__ = KeyError("x" * 100)
        last = last.__cause__
    last.__cause__ = first
    raise first


def huge_text(index, strides, offset=0):
    """storage_index: raises exceptions with megabytes of text, in message, notes and class"""
    text = "passed \x1b[2J\x00" * 2**16
    noted = ValueError(text)
    noted.add_note(text)
    syntax = SyntaxError(text, (text, 2**31 - 1, -(2**31), text))
    named = type("N" * 10**6, (ValueError,), {})(text)
    raise DRAW.choice([noted, syntax, named, ValueError(*[text] * 9), OSError(1, text, text)])


def unreadable_traceback(index, strides, offset=0):
    """storage_index: raises from code whose file name and lines lead to the tests, to be quoted"""
    start = os.path.dirname(os.path.dirname(os.path.dirname(sys.prefix)))
    folders = (os.path.dirname(sys.prefix), start, *sys.orig_argv[-2:], ".", "/")
    names = [os.path.join(folder, "tests", "hidden", "test_strides.py") for folder in folders]
    name = DRAW.choice([*names, "/proc/self/environ", "\ud800", "\0", "x" * 10**6])
    lines = "\n" * DRAW.randrange(20, 90)
    try:
        exec(compile(lines + "raise ValueError", name, "exec"))
    except ValueError as error:
        quoted = SyntaxError("invalid syntax", (name, 80, 1, None))
        quoted.__cause__ = error
        raise quoted
    except UnicodeEncodeError:
        raise ValueError("\ud800 in a text that must be sent")


def borrowed(name, **attributes):
    body = {"__module__": "grader.judge.shown", "detail": "", **attributes}
    return type(name, (Exception,), body)("not the submission's fault")


def the_graders_own_exceptions(index, strides, offset=0):
    """storage_index: raises what the grader raises, under its names and of its very classes"""
    own = [
        borrowed("GraderFault", cause="grader_fault"),
        borrowed("SubmissionFailure", cause="prerequisite"),
        borrowed("_NotRun", cause="needs_cuda", from_submission=False),
        borrowed("Skipped", msg="skip", allow_module_level=True),
        borrowed("XFailed"),
        isolation.CannotIsolate("no tier here"),
        frames.FrameTooLargeError("no frame"),
        frames.FrameError("no frame"),
    ]
    raise DRAW.choice(own)


def claims_not_plain(index, strides, offset=0):
    """storage_index: raises the boundary's own exception, which says that it was the arguments"""
    error = plain.NotPlainData("a test passed what cannot be sent")
    error.cause = "grader_fault"
    raise error


def raises_what_is_expected(index, strides, offset=0):
    """storage_index: refuses everything, as the tests of wrong arguments want"""

    class Everything(ValueError, TypeError, IndexError, AssertionError):
        """Whatever a test expects."""

    raise Everything("out of range")


def carries_by_exception(index, strides, offset=0):
    """storage_index: carries its arguments out in classes, texts, notes and files of exceptions"""
    # The first two need more than a text, the others have causes of their own.
    others = (UnicodeError, ExceptionGroup, NotImplementedError, MemoryError)
    errors = [
        found
        for found in vars(builtins).values()
        if isinstance(found, type) and issubclass(found, Exception)
        if not issubclass(found, others)
    ]
    said = f"carried {list(index)} {list(strides)} {offset}"
    print(said, flush=True)
    base = errors[(sum(index) + offset) % len(errors)]
    error = type(said, (base,), {"__module__": said})(said)
    error.add_note(said)
    exec(compile("raise error", said, "exec"), {"error": error})
