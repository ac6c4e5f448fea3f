"""The short version of the campaign `frames`: the same frames, answers and checks, without atheris.

Then tests of the checks: a judge that lost one of its guards is found out.
"""

import itertools
import random

import pytest
import torch

from assignment.expect import expect, show
from grader.causes import Cause
from grader.faults import SubmissionFailure
from grader.supervisor.callbacks import Callbacks, Use
from grader.wire import claims
from grader.wire import frames as wire
from tests.fuzz import check
from tests.fuzz.frames import frame_of, mutants, seeds
from tests.fuzz.nodes import parse, write
from tests.harness import warm
from tests.harness.conftest import REPOSITORY

FRAMES = 20_000
pytestmark = pytest.mark.filterwarnings("ignore:ComplexHalf")


def attack(frames: int = FRAMES) -> check.Checker:
    """Reads `frames` mutants of valid frames and of earlier mutants, the same in each run.

    First of all a failure of many tensors, which few mutants come near.
    """
    many = wire.encode(1, {"failed": [torch.ones(1)] * 20})
    check.Checker().check(b"".join(bytes(part) for part in many))
    checker, rng = check.Checker(), random.Random(1)
    valid, odd = seeds(), seeds()
    while checker.frames < frames:
        made = list(mutants(rng.choice(valid if rng.random() < 0.7 else odd), rng, 10))
        for frame in made:
            checker.check(frame, thorough=rng.random() < 0.2)
        odd[rng.randrange(len(odd))] = rng.choice(made)
    return checker


def test_every_frame_is_refused_or_a_value_that_fits_it():
    checker = attack(FRAMES // 4)
    assert checker.frames == FRAMES // 4
    assert 0.1 < checker.values / checker.frames < 0.9, "of both kinds there are many"


def test_no_extreme_answer_costs_the_judge_more_than_its_bytes():
    command = ("-m", "tests.fuzz.answers", "--answers", "20", "float_range", "storage_index")
    done = warm.run(*command, cwd=REPOSITORY)
    assert done.returncode == 0, done.stdout
    assert " answers, 0 findings in 0 tests\n" in done.stdout


def test_seeds_are_read_and_can_be_taken_apart():
    checker = check.Checker()
    for frame in seeds():
        checker.check(frame)
        assert frame_of(write(parse(frame[wire.HEADER.size :]))) == frame
    assert checker.values == checker.frames > 100


def test_any_bytes_can_be_taken_apart():
    rng = random.Random(2)
    for _ in range(300):
        junk = rng.randbytes(rng.randrange(80))
        assert write(parse(junk)) == junk
        assert len(list(mutants(junk, rng, 3))) == 3


def test_failure_that_is_no_name_is_not_put_into_words():
    """Printing a tensor takes the judge longer than sending it takes the worker, by far."""
    few, many = ({"failed": [torch.ones(1)] * count} for count in (1, 3000))

    def unpack(answer):
        with pytest.raises(SubmissionFailure) as caught:
            claims.result(answer, "module.function")
        assert caught.value.cause is Cause.PROTOCOL

    assert check.steps(unpack, many) == check.steps(unpack, few)


@pytest.mark.parametrize("wrap", [list, tuple, lambda found: dict(enumerate(found))])
def test_answer_of_many_tensors_is_shown_no_further_than_it_is_read(wrap):
    def refuse(count):
        with pytest.raises(AssertionError, match=r"found: .*tensor.* …$"):
            expect(wrap([torch.ones(1)] * count)).equals(6)

    # `wrap` itself takes a step for each; to print one takes a hundred.
    assert check.steps(refuse, 3000) < check.steps(refuse, 100) + 3 * 2900


def test_value_in_a_message_reads_as_python_writes_it():
    for value in (6, (1,), (), [[]], {}, {"a": (1, [2.5, None]), 3: b"x"}, "it's"):
        assert show(value) == repr(value)
    assert show([torch.ones(2)]) == "[a tensor (2,) of torch.float32: [1.0, 1.0]]"  # as alone
    for value in ("x" * 399, "x" * 9999, [1] * 9999, {"k": "\n" * 300}):
        assert show(value) == repr(value)[:400] + " …"


def test_frame_that_takes_longer_than_an_honest_one_is_found_by_the_campaigns_clock():
    frame = seeds()[0]
    check.Checker(clock=lambda: 0).check(frame)
    counts = itertools.count(step=check.SLACK_NS // 2)
    check.Checker(clock=lambda: next(counts)).check(frame)
    late = check.Checker(clock=lambda: 0)
    late._clock = itertools.count(step=2 * check.SLACK_NS).__next__
    with pytest.raises(check.Finding, match=r"to decode \d+ bytes took 6 ms"):
        late.check(frame)


# --- without its guards, it is found out ---------------------------------------------------------

Reader = wire.Reader
DECODE, HEADER, RESULT = wire.decode, wire.decode_header, claims.result
COUNT, TAKE = Reader.count, Reader.take


def without(**caps):
    return lambda body, given: DECODE(body, given._replace(**caps))


def header_without(header, given):
    return HEADER(header, given._replace(size=2**64))


def allocates_for_a_count(self, width=1):
    here = self.at
    room = bytearray(min(wire.COUNT.unpack(self.take(4))[0], 2**24))
    self.at = here
    return COUNT(self, width) + 0 * len(room)


def takes_what_is_left(self, size):
    return TAKE(self, min(size, len(self.body) - self.at))


def any_shape(self, itemsize):
    rank = self.take(1)[0]
    *shape, size = (wire._SIZE.unpack(self.take(8))[0] for _ in range(rank + 1))
    self.take(-self.at % wire.ALIGNMENT)
    return tuple(shape), self.take(size)


def any_key(self, depth):
    return {self.value(depth + 1): self.value(depth + 1) for _ in range(self.count(2))}


def later_keys_win(self, depth):
    pairs = [(self.value(depth + 1), self.value(depth + 1)) for _ in range(self.count(2))]
    if not all(type(key) is str for key, _ in pairs):
        raise wire.FrameError("a key is no str")
    return dict(pairs)


def any_bytes_left(body, caps):
    reader = Reader(body, caps)
    return reader.value(0), reader.items


def quotes(self, table):
    name = self.utf8()
    if name not in table:
        raise wire.FrameError(f"{name!r} is no dtype")
    return table[name]


def bools_as_they_come(self):
    dtype = self.known(wire.TENSOR_DTYPES)
    shape, raw = self.buffer(dtype.itemsize)
    if not raw.nbytes:
        return torch.empty(shape, dtype=dtype)
    return torch.frombuffer(raw, dtype=torch.uint8).view(dtype).reshape(shape)


def words_of_anything(answer, target):
    if isinstance(answer, dict) and answer.keys() != {"result"}:
        str(answer.get("failed"))
    return RESULT(answer, target)


def any_bytecode(answer, files):
    return answer.get("result", {})


def any_use(callbacks, message):
    if not isinstance(message, dict) or "use" not in message:
        return None
    return Use(message.get("function"), message.get("args", ()), message.get("kwargs", {}))


BROKEN = {
    "no cap on depth": (wire, "decode", without(depth=10**6), "deep|RecursionError"),
    "no cap on values": (wire, "decode", without(items=10**9), "values were read"),
    "no cap on integers": (wire, "decode", without(integer=10**6), "bits"),
    "no cap on the frame": (wire, "decode_header", header_without, "the cap"),
    "room for a count": (Reader, "count", allocates_for_a_count, "bytes of memory"),
    "no check of what is left": (Reader, "take", takes_what_is_left, "decoding raised"),
    "bytes left over": (wire, "decode", any_bytes_left, "was read from"),
    "no check of UTF-8": (Reader, "utf8", lambda self: self.blob().decode(), "UnicodeDecodeError"),
    "no check of dtypes": (Reader, "known", lambda self, table: table[self.utf8()], "KeyError"),
    "any key": (Reader, "mapping", any_key, "TypeError|a key"),
    "keys that stand twice": (Reader, "mapping", later_keys_win, "values were read of"),
    "any shape": (Reader, "buffer", any_shape, "decoding raised"),
    "bools that are 2": (Reader, "tensor", bools_as_they_come, "a bool"),
    "errors that quote": (Reader, "known", quotes, "quotes"),
    "words of anything": (claims, "result", words_of_anything, "to read .* steps"),
    "any bytecode": (claims, "bytecode", any_bytecode, "bytecode"),
    "any use": (Callbacks, "use_in", any_use, "a use"),
    "any import report": (claims, "import_report", lambda answer: answer, "import report"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_judge_without_a_guard_is_found_out(name, monkeypatch):
    owner, attribute, broken, words = BROKEN[name]
    monkeypatch.setattr(owner, attribute, broken)
    with pytest.raises(check.Finding, match=words):
        attack()
