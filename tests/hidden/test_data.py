"""Token files and batches: bytes on disk, positions of windows, memory measured from outside."""

import itertools
from collections import Counter

import numpy as np
import pytest
import torch

from assignment.expect import expect

LLAMA = 2_800_000_000_000  # bytes; sparse, so it takes only a few blocks on the disk
SMALL_HOLES = (64 << 20, 256 << 20)  # bytes: a copy of these is noticed, but does no harm
DENSE = 1 << 20  # tokens of 4 bytes each
MANY = 80  # files and batches: more than the descriptors that a worker may hold
# Memory allowed in addition to a warmed-up process. The reference takes about 4 MiB: each window
# maps up to 64 KiB of the file's pages.
SLACK = 16 << 20
# Allowed since before the import, of which imports take about 19 MiB: otherwise a submission could
# take more at its import, free it, and stay below that peak with a whole file in memory.
SLACK_WITH_IMPORTS = 64 << 20


def sparse_file(path, size, blocks):
    """A file of `size` bytes with arrays at byte offsets and zeros elsewhere."""
    with path.open("wb") as file:
        file.truncate(size)
        for offset, tokens in blocks.items():
            file.seek(offset)
            file.write(tokens.tobytes())
    return str(path)


def overwrite(path, tokens):
    with path.open("r+b") as file:
        file.write(tokens.tobytes())


def check_memory(impl, idle, before, what, slack=SLACK):
    """Compares the peak with those of a worker without the submission, and of a warmed-up one."""
    peak = impl.peak_rss()
    assert peak - before < slack, f"{what} took {peak - before} bytes of memory"
    grown = peak - idle
    assert grown < SLACK_WITH_IMPORTS, f"{what} took {grown} bytes of memory, imports included"


def check_count(count, fair, draws, what):
    """Checks how often an outcome was drawn.

    A count is binomial; a fair generator exceeds 7 standard deviations once in 4e11 draws.
    """
    slack = 7 * (fair * (1 - fair / draws)) ** 0.5
    assert abs(count - fair) <= slack, (
        f"{what} was drawn {count} times in {draws}, not {fair:.0f} ± {slack:.0f}"
    )


def starts_of(x, tokens):
    """The start of each row of x in a corpus of distinct tokens."""
    tokens, first = tokens.astype(np.int64), x[:, 0].numpy()
    order = np.argsort(tokens)
    found = np.searchsorted(tokens, first, sorter=order).clip(max=len(tokens) - 1)
    starts = order[found]
    expect(first, "the first tokens of the rows").equals(tokens[starts])
    return starts.tolist()


def marked_file(rng, folder, count, distance, until):
    """A corpus of `count` zeros of 2 bytes, but up to `until` every so often another number.

    There each window of `distance` tokens has one of these numbers, which shows its start.

    Returns:
        The file's path, and the position of each number.
    """
    at = range(int(rng.integers(distance)), until, distance)
    numbers = (1 + rng.permutation(2**16 - 1)[: len(at)]).astype(np.uint16)
    blocks = {2 * position: numbers[i : i + 1] for i, position in enumerate(at)}
    path = sparse_file(folder / "marked.bin", 2 * count, blocks)
    return path, dict(zip(numbers.tolist(), at, strict=True))


def marked_starts(x, y, marks):
    """The start of each row of x in a file of marks, where all rows must come from."""
    starts = []
    for row, targets in zip(x, y, strict=True):
        places = row.nonzero().flatten().tolist()
        expect(len(places), "tokens of a row that are not 0").equals(1)
        starts.append(marks.get(int(row[places[0]]), -1) - places[0])
        expect(min(starts[-1], 0), "how far before the corpus the row starts").equals(0)
        expect(targets[:-1], "the row's targets").equals(row[1:])
    return starts


def check_windows(x, y, tokens, starts=None):
    """Checks that each row is a window of a corpus of distinct tokens, and its targets."""
    for row, start in enumerate(starts or starts_of(x, tokens)):
        window = torch.from_numpy(tokens[start : start + x.shape[1] + 1].astype(np.int64))
        expect(x[row], f"x[{row}]").equals(window[:-1])
        expect(y[row], f"y[{row}]").equals(window[1:])


def batch(result, batch_size, context_length, narrow=(torch.int16, torch.int32)):
    """x and y in int64, after checking that they are two tensors of this shape.

    Their dtype is one test's rule: the others take what is `narrow`, too.
    """
    assert isinstance(result, tuple | list), f"expected (x, y), found {type(result).__name__}"
    expect(len(result), "the number of tensors").equals(2)
    for name, tensor in zip("xy", result, strict=True):
        dtype = getattr(tensor, "dtype", None)
        dtype = dtype if dtype in narrow else torch.int64
        expect(tensor, name).is_tensor((batch_size, context_length), dtype)
    return [tensor.long() for tensor in result]


def drawn(impl, tokens, batch_size, context_length, **how):
    result = impl.data.get_batch(tokens, batch_size, context_length)
    return batch(result, batch_size, context_length, **how)


def drawn_from(impl, path, window, batch_size, context_length, count=1, dtype="uint16"):
    """Batches from a part of a file."""
    shape = batch_size, context_length
    found = impl.scenarios.batches_of_file(str(path), dtype, window, *shape, count)
    return [batch(one, *shape) for one in expect(found, "all batches").is_a(list)]


def check_files(impl, contents):
    """Checks what the files in the scratch folder hold, by their names, and that there are no
    others."""
    found = impl.readers.files_bytes([str(impl.scratch / name) for name in contents])
    for file, expected in zip(found, contents.values(), strict=True):
        expect(file, "the file").equals(expected)
    names = impl.readers.names_in(str(impl.scratch))
    expect(names, "the names of all files").equals(sorted(contents))


@pytest.mark.exercise("token_file", weight=2)
def test_file_holds_the_tokens_and_nothing_else(impl, rng):
    """Tokens up to both ends of a dtype are written, little-endian, and nothing else"""
    contents, forms = {}, ("name", "dtype", "type")
    for dtype in ("uint16", "uint32", "uint8", "int32", "int64", "int8", "int16", "uint64"):
        limits = np.iinfo(dtype)
        for case, size in enumerate((0, 1, 1023, 98, 97)):
            tokens = rng.integers(limits.min, limits.max, size, dtype=dtype, endpoint=True)
            wide = tokens if dtype == "uint64" else tokens.astype(np.int64)
            with_gaps = np.repeat(wide, 2)[::2]
            given = (tokens.tolist(), with_gaps, wide, tuple(tokens.tolist()), tokens)[case]
            name, form = f"{len(contents)}.bin", forms[len(contents) % 3]
            path = impl.scratch / name
            impl.scenarios.write_as(path if size else str(path), given, dtype, form)
            contents[name] = tokens.tobytes()
    # A longer file is completely replaced, also by nothing.
    for name, tokens in (("2.bin", [7, 8]), ("3.bin", [])):
        impl.data.write_tokens(str(impl.scratch / name), tokens, "uint16")
        contents[name] = np.array(tokens, dtype="uint16").tobytes()
    check_files(impl, contents)


@pytest.mark.exercise("token_file")
def test_token_that_does_not_fit_is_refused(impl, later, rng):
    """What fits is written; what does not is refused, never wrapped, and then nothing is written"""
    kept = {}
    for dtype in ("uint16", "uint8", "int16", "uint32", "int64", "uint64"):
        limits, path = np.iinfo(dtype), str(impl.scratch / dtype)
        good = np.array([limits.min, limits.max, limits.max // 3], dtype=dtype)
        impl.data.write_tokens(path, good.tolist(), dtype)
        above = limits.max + 1 + int(rng.integers(0, 1000))
        below = limits.min - 1 - int(rng.integers(0, 1000))
        for wrong in (limits.max + 1, above, below, limits.max + 1 + 2**32, 2**70):
            tokens = rng.integers(0, 100, 20).tolist()
            tokens[int(rng.integers(0, 20))] = wrong
            later.data.write_tokens(path, tokens, dtype).raises(ValueError)
            for wide in map(np.iinfo, ("int64", "uint64")):
                if wide.min <= wrong <= wide.max:
                    array = np.array(tokens, wide.dtype)
                    later.data.write_tokens(path, array, dtype).raises(ValueError)
        many, one_round = rng.integers(0, 100, 1000).tolist(), 2 ** (8 * good.itemsize)
        two = [many[0] + one_round, many[1] - one_round]  # if they wrap, the sum stays
        for name in (path, str(impl.scratch / "new.bin")):
            for tokens in ([*many, above], [*two, *many]):
                later.data.write_tokens(name, tokens, dtype).raises(ValueError)
        kept[dtype] = good.tobytes()
    tokens = np.append(rng.integers(0, 100, 2**17), 2**16)  # found late, if checked in parts
    later.data.write_tokens(str(impl.scratch / "uint16"), tokens, "uint16").raises(ValueError)
    later.check()
    check_files(impl, kept)


@pytest.mark.exercise("token_file")
def test_only_integer_dtypes_make_a_file(impl, rng):
    """A dtype that is not an integer dtype is refused, bool too, even without tokens"""
    new, kept = str(impl.scratch / "new.bin"), {}
    others = ("float16", "object", "S2", "datetime64[s]")
    for dtype in ("bool", "float32", "float64", "complex64", *others):
        good, path = rng.integers(0, 2, size=9).tolist(), str(impl.scratch / dtype)
        impl.data.write_tokens(path, good, "uint8")
        for tokens, name in ((good, path), ([], path), (np.array(good), path), (good, new)):
            with pytest.raises(ValueError):
                impl.data.write_tokens(name, tokens, dtype)
        kept[dtype] = bytes(good)
    check_files(impl, kept)


@pytest.mark.exercise("token_file")
def test_opened_file_shows_what_is_in_it(impl, rng, shared_folder):
    """An opened file shows its tokens, also those that change after it was opened"""
    for dtype in ("uint16", "uint32", "uint8", "int32"):
        limits = np.iinfo(dtype)
        for size, form in ((1, "name"), (1023, "dtype"), (5000, "type")):
            tokens = rng.integers(limits.min, limits.max, (3, size), dtype=dtype, endpoint=True)
            path = shared_folder / f"{dtype}-{size}.bin"
            path.write_bytes(tokens[0].tobytes())
            found = impl.scenarios.read_tokens(dtype, changing(path, tokens[1:]), form)
            expect(found, "windows").equals([tokens[1], tokens[2][size // 2 :]])


def changing(path, tokens):
    """Requests for two windows of a file, which is overwritten before each of them."""
    yield str(path)
    overwrite(path, tokens[0])
    yield 0, len(tokens[0]) + 9  # beyond the end, where a slice ends
    overwrite(path, tokens[1])
    yield len(tokens[1]) // 2, len(tokens[1])


@pytest.mark.exercise("token_file")
def test_file_of_broken_tokens_is_refused(impl, rng, shared_folder):
    """A file whose size is not a whole number of tokens is refused, and so is an empty one; a
    missing one is a FileNotFoundError"""
    path = shared_folder / "tokens.bin"
    (shared_folder / "empty").touch()
    for dtype in ("uint16", "uint32", "int64"):
        width = np.dtype(dtype).itemsize
        for wrong, error in (("empty", ValueError), ("missing", FileNotFoundError)):
            with pytest.raises(error):
                impl.scenarios.read_tokens(dtype, [str(shared_folder / wrong)])
        for left_over in rng.permutation(2 * width) % width:
            count = int(rng.integers(2, 50))
            data = rng.integers(0, 256, count * width + int(left_over), dtype=np.uint8).tobytes()
            path.write_bytes(data)
            requests = (request for request in (path, (0, count + 1)))
            if left_over:
                with pytest.raises(ValueError):
                    impl.scenarios.read_tokens(dtype, requests)
            else:
                found = impl.scenarios.read_tokens(dtype, requests)
                expect(found, "windows").equals([np.frombuffer(data, dtype)])


@pytest.mark.exercise("token_file", weight=2)
def test_opening_terabytes_reads_nothing(impl, rng, shared_folder):
    """Opening a file takes no more memory for terabytes than for a kilobyte"""
    idle, block = impl.peak_rss(), rng.integers(1, 65536, 1024, dtype=np.uint16)
    warm = sparse_file(shared_folder / "warm.bin", 1 << 16, {0: block})
    impl.scenarios.read_tokens("uint16", (r for _ in range(30) for r in (warm, (0, 1024))))
    before = impl.peak_rss()
    for size in (*SMALL_HOLES, LLAMA):
        # Numbers of 4096-byte blocks: the first, the last whole one, and some in between.
        last = size // 4096 - 1
        offsets = [0, *(int(n) * 4096 for n in rng.integers(1, last, 6)), last * 4096]
        blocks = {o: rng.integers(1, 65536, 1024, dtype=np.uint16) for o in offsets}
        path = sparse_file(shared_folder / f"{size}.bin", size, blocks)
        windows = [(o // 2, o // 2 + 1024) for o in offsets]
        to_the_end = np.append(blocks[last * 4096], np.zeros(1024, np.uint16))
        requests = (request for request in (path, *windows, (last * 2048, size)))
        found = impl.scenarios.read_tokens("uint16", requests)
        expected = [*(blocks[offset] for offset in offsets), to_the_end]
        expect(found, "windows").equals(expected)
        check_memory(impl, idle, before, f"opening {size} bytes")


@pytest.mark.exercise("token_file")
def test_a_file_is_closed_with_its_map(impl, rng, shared_folder):
    """Many large files can be opened one after the other: a file is closed with its map"""
    idle, warm = impl.peak_rss(), sparse_file(shared_folder / "warm.bin", 1 << 16, {})
    impl.scenarios.read_tokens("uint32", [warm, (0, 1024)] * 30)
    before, requests, expected = impl.peak_rss(), [], []
    for i in range(MANY):
        start = 1024 * int(rng.integers(LLAMA // 4096))
        window = rng.integers(2**32, size=8, dtype=np.uint32)
        path = sparse_file(shared_folder / f"{i}.bin", LLAMA, {4 * start: window})
        requests += [path, (start, start + 8)]
        expected.append(window)
    found = impl.scenarios.read_tokens("uint32", requests)
    expect(found, "windows").equals(expected)
    check_memory(impl, idle, before, f"opening {MANY} files")


@pytest.mark.exercise("get_batch", weight=2)
def test_targets_follow_their_tokens(impl, rng):
    """x holds windows of the corpus, and y the same windows one token later, both in int64"""
    for dtype in ("uint16", "uint32", "int16", "int32", "int64", "uint64"):
        for length, *shape in [
            (1023, 5, 1),
            (1023, 1, 17),
            (64, 33, 63),
            (2, 3, 1),
            (5000, 4, 1024),
        ]:
            step = int(rng.integers(1, 4))  # a corpus may be a view of every second token
            tokens = rng.permutation(30000)[: length * step].astype(dtype)[::step]
            check_windows(*drawn(impl, tokens, *shape, narrow=()), tokens)


@pytest.mark.exercise("get_batch", weight=1.5, needs="test_every_start_is_equally_likely")
def test_a_seed_repeats_a_batch(impl, rng):
    """The same seed gives the same windows, another one others"""
    first, other = (int(n) for n in rng.choice(2**31, 2, replace=False))
    tokens = rng.permutation(30000)
    one, again, new = (
        impl.scenarios.seeded_batch(seed, tokens, 20, 8)[0] for seed in (first, first, other)
    )
    expect(again, "x after the same seed").equals(one)
    assert not torch.equal(new, one), "another seed gives the same batch"


@pytest.mark.exercise("get_batch")
def test_large_tokens_keep_their_value(impl, rng):
    """Tokens in the upper half of an unsigned dtype keep their value, and so do negative ones"""
    for dtype, low, high in [
        ("uint16", 2**15, 2**16),
        ("uint32", 2**31, 2**32),
        ("int8", -(2**7), 2**7),
        ("int32", -(2**31), 2**31),
        ("int64", -(2**63), 2**63),
        ("uint64", 2**53, 2**63),
    ]:
        tokens = np.unique(rng.integers(low, high, 40, dtype=dtype))
        check_windows(*drawn(impl, tokens, 200, 3), tokens)


@pytest.mark.exercise("get_batch", weight=2)
def test_every_start_is_equally_likely(impl, rng):
    """All windows are equally likely, including the first and the last"""
    for starts in (1, 2, 7):
        context_length = int(rng.integers(1, 6))
        tokens = rng.permutation(60000)[: starts + context_length].astype(np.uint16)
        counts = dict.fromkeys(range(starts), 0)
        batches = [drawn(impl, tokens, 2000, context_length)[0] for _ in range(2)]
        assert starts < 7 or not torch.equal(*batches), "the next batch has the same windows"
        for start in starts_of(torch.cat(batches), tokens):
            assert start in counts, "a window without room for its last target"
            counts[start] += 1
        for start, count in counts.items():
            check_count(count, 4000 / starts, 4000, f"the start {start}")


@pytest.mark.exercise("get_batch")
def test_every_start_of_a_large_corpus(impl, rng, shared_folder):
    """All windows of a large corpus are equally likely, too, without a list of them"""
    distance, count = 1 << 16, 1 << 27
    path, marks = marked_file(rng, shared_folder, count + distance, distance, count + distance)
    pairs = drawn_from(impl, path, None, 15, distance, 2)
    starts, others = (marked_starts(*pair, marks) for pair in pairs)
    # With a probability of 2e-13 a right function is refused.
    assert len({start % 8 for start in starts}) > 1, "at most every eighth start can be drawn"
    assert others != starts, "the next batch has the same windows"


@pytest.mark.exercise("get_batch", needs="test_every_start_of_a_large_corpus")
def test_starts_beyond_31_bits(impl, rng, shared_folder):
    """In a corpus of terabytes, nearly all starts are beyond 31 bits, and no list holds them"""
    distance = 1 << 20
    path, marks = marked_file(rng, shared_folder, LLAMA // 2, distance, 2**31 + distance)
    ((x, _),) = drawn_from(impl, path, None, 3, distance)
    # A right function draws one of the first 2**31 starts with a probability of 1.5e-3.
    assert not x.any(1).all(), "only starts below 2**31 were drawn"
    (pair,) = drawn_from(impl, path, (0, 2**31), 2, distance)
    marked_starts(*pair, marks)


@pytest.mark.exercise("get_batch", needs="test_every_start_of_a_large_corpus")
def test_draws_are_independent(impl, rng):
    """Starts are independent, within a batch and from batch to batch"""
    tokens = rng.permutation(30000)[:6].astype(np.uint16)
    first, second = (starts_of(drawn(impl, tokens, 4000, 2)[0], tokens) for _ in range(2))
    for what, partners in (("the neighbours", first[1::2]), ("the successive", second[::2])):
        counts = Counter(zip(first[::2], partners, strict=True))
        one, other = Counter(first[::2]), Counter(partners)
        for a, b in itertools.product(range(4), repeat=2):
            check_count(counts[a, b], one[a] * other[b] / 2000, 2000, f"{what} {a, b}")
    # As many rows as windows: a fair draw repeats none in 16 batches with a probability of 4e-17.
    few = [starts_of(drawn(impl, tokens, 4, 2)[0], tokens) for _ in range(16)]
    assert any(len(set(starts)) < 4 for starts in few), "no two rows have the same start"
    # More rows than windows: drawing without replacement could not fill the batch.
    x, _ = drawn(impl, tokens, 4000, 5)
    expect(x[:, 0], "x[:, 0]").equals(torch.full((4000,), int(tokens[0])))


@pytest.mark.exercise("get_batch", weight=0.5, needs="test_every_start_of_a_large_corpus")
def test_batch_goes_to_the_device(impl, rng):
    """The batch is put on the given device"""
    tokens = rng.permutation(60000)[:20].astype(np.uint16)
    check_windows(*batch(impl.data.get_batch(tokens, 3, 4, "cpu"), 3, 4), tokens)
    check_windows(*batch(impl.scenarios.moved_batch(tokens, 3, 4), 3, 4), tokens)


@pytest.mark.exercise("get_batch", needs="test_every_start_of_a_large_corpus")
def test_what_holds_no_window_is_refused(impl, rng):
    """A corpus too short for a window and its target is refused, with a ValueError"""
    for context_length in (1, 4, int(rng.integers(5, 50))):
        tokens = rng.permutation(60000)[: context_length + 1].astype(np.uint16)
        check_windows(*drawn(impl, tokens, 2, context_length), tokens, [0, 0])
        for length in {0, 1, context_length}:
            with pytest.raises(ValueError):
                impl.data.get_batch(tokens[:length], 2, context_length)


def dense_file(rng, shared_folder):
    """A file without holes whose tokens show their positions, to those who know both numbers."""
    odd, mask = (int(n) | 1 for n in rng.integers(2**31, 2**32, 2))
    tokens = np.arange(DENSE, dtype=np.uint32) * np.uint32(odd) ^ np.uint32(mask)
    path, warm = shared_folder / "dense.bin", shared_folder / "warm-dense.bin"
    path.write_bytes(tokens.tobytes())
    warm.write_bytes(tokens[:4096].tobytes())
    return path, warm, tokens, odd, mask


def check_windows_from_all_over(impl, idle, path, warm, tokens, odd, mask):
    """One batch of a file without holes: where a window comes from shows in its tokens."""
    back = pow(odd, -1, 2**32)
    drawn_from(impl, warm, None, 12, 100, dtype="uint32")
    before = impl.peak_rss()
    ((x, y),) = drawn_from(impl, path, None, 12, 100, dtype="uint32")
    starts = [(int(first) ^ mask) * back % 2**32 for first in x[:, 0]]
    expect(max(starts) // (DENSE - 100), "windows beyond the file").equals(0)
    check_windows(x, y, tokens, starts)
    regions = {start * 64 // DENSE for start in starts}
    # 12 starts fall into less than 5 of 64 regions with a probability of 2e-9.
    assert len(regions) > 4, "the windows of a batch are neighbours"
    check_memory(impl, idle, before, f"batches from {4 * DENSE} bytes")


@pytest.mark.exercise("get_batch", weight=3)
def test_batch_of_terabytes_reads_its_windows(impl, rng, shared_folder):
    """Windows come from all over a file of any size, and take no more memory than their own"""
    without_holes = dense_file(rng, shared_folder)
    idle, dense = impl.peak_rss(), rng.permutation(np.arange(1, 65536))[:4096].astype(np.uint16)
    warm = sparse_file(shared_folder / "warm.bin", 4096 * 2, {0: dense})
    drawn_from(impl, warm, None, 8, 1024, 3)
    assert len(drawn_from(impl, warm, None, 1, 8, MANY)) == MANY
    before = impl.peak_rss()
    values = torch.from_numpy(np.append(dense, 0).astype(np.int64))
    none = torch.zeros(0, dtype=torch.int64)
    for size in (*SMALL_HOLES, LLAMA):
        last = size // 4096 - 2
        # Two blocks for each copy of `dense`; the copies do not overlap.
        offsets = [int(rng.integers(last // 2, last - 1)) * 4096, last * 4096]
        path = sparse_file(shared_folder / f"{size}.bin", size, dict.fromkeys(offsets, dense))
        # From the whole file: nearly always zeros, and only tokens that are in the file. Few
        # windows: for each, a kernel may read ahead 2 MiB.
        # And of every fourth token: a corpus may have any layout.
        for every in (None, (0, size // 2, 4)):
            for x, y in drawn_from(impl, path, every, 2, 1024, 3):
                expect(y[:, :-1], "y[:, :-1]").equals(x[:, 1:])
                expect(y[~torch.isin(y, values)], "tokens that are not in the file").equals(none)
        # From a part in the middle of the map: windows that are known.
        for offset in offsets:
            part = (offset // 2, offset // 2 + 4096)
            for x, y in drawn_from(impl, path, part, 8, 100, 2):
                check_windows(x, y, dense)
        check_memory(impl, idle, before, f"batches from a file of {size} bytes")
    check_windows_from_all_over(impl, idle, *without_holes)
