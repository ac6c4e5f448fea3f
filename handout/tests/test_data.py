"""Data loading, with corpora small enough to check by hand."""

import numpy as np
import pytest
import torch

from assignment.expect import expect


@pytest.mark.exercise("token_file")
def test_three_tokens_make_six_bytes(impl):
    """Tokens 1, 256 and 50256 in uint16 are the six bytes 01 00 00 01 50 c4"""
    path = str(impl.scratch / "tokens.bin")
    impl.data.write_tokens(path, [1, 256, 50256], "uint16")
    expect(impl.readers.file_bytes(path), "the file").equals(
        bytes.fromhex("01 00 00 01 50 c4"),
        hint="two bytes per token, low byte first, and no header: np.save adds one",
    )


@pytest.mark.exercise("token_file")
def test_refuses_a_token_that_does_not_fit(impl):
    """In uint16, token 65535 fits, while 65536 and -1 are refused"""
    path = str(impl.scratch / "tokens.bin")
    impl.data.write_tokens(path, [0, 65535], "uint16")
    expect(impl.readers.file_bytes(path), "the file").equals(b"\x00\x00\xff\xff")
    for token in (65536, -1):
        with pytest.raises(ValueError):
            impl.data.write_tokens(path, [1, token], "uint16")


@pytest.mark.exercise("token_file")
def test_opens_as_a_read_only_map(impl, shared_folder):
    """An opened file is a read-only np.memmap of its tokens"""
    path = shared_folder / "tokens.bin"
    path.write_bytes(bytes.fromhex("01 00 00 01 50 c4"))
    requests = (request for request in (str(path), (0, 3)))
    (tokens,) = impl.scenarios.read_tokens("uint16", requests)
    expect(tokens.tolist(), "the tokens").equals([1, 256, 50256])
    opened = impl.scenarios.opened_as(str(path), "uint16")
    expect(opened["is_memmap"], "isinstance(tokens, np.memmap)").equals(
        True, hint="np.fromfile reads the whole file; np.memmap reads only what you index"
    )
    expect(opened["writeable"], "tokens.flags.writeable").equals(False, hint='mode="r"')
    expect(opened["shape"], "tokens.shape").equals((3,))
    expect(opened["dtype"], "tokens.dtype").equals("<u2")


@pytest.mark.exercise("token_file")
def test_a_file_that_ends_inside_a_token(impl, shared_folder):
    """A file of 6 bytes opens as 3 tokens in uint16, and is refused in uint32"""
    path = shared_folder / "tokens.bin"
    path.write_bytes(bytes.fromhex("01 00 00 01 50 c4"))
    expect(impl.scenarios.opened_as(str(path), "uint16")["shape"], "tokens.shape").equals((3,))
    with pytest.raises(ValueError):
        impl.scenarios.opened_as(str(path), "uint32")


@pytest.mark.exercise("token_file")
def test_any_tokens_in_any_dtype(impl, rng):
    """Any sequence or array becomes little-endian values, up to the ends of each dtype"""
    for i, dtype in enumerate(["uint8", "int16", "uint16", "int32", "uint64", "int64"]):
        ends = np.iinfo(dtype)
        drawn = rng.integers(ends.min, ends.max, size=int(rng.integers(1, 40)), dtype=dtype)
        tokens = [ends.max, *map(int, drawn), ends.min, 1]
        for given in (tokens, tuple(tokens), np.array(tokens, dtype)):
            form = ["name", "dtype", "type"][i % 3]
            path = str(impl.scratch / f"{i}-{type(given).__name__}.bin")
            impl.scenarios.write_as(path, given, dtype, form)
            what, width = f"{dtype} from a {type(given).__name__}", ends.bits // 8
            (content,) = impl.readers.files_bytes([path])
            expect(len(content), f"bytes of {len(tokens)} tokens in {what}").equals(
                len(tokens) * width
            )
            found = [content[at : at + width] for at in range(0, len(content), width)]
            numbers = [int.from_bytes(one, "little", signed=ends.min < 0) for one in found]
            expect(numbers, f"tokens in {what}").equals(
                tokens, hint="name the dtype: np.array([2**64 - 1, 0]) is in float64"
            )
    path = str(impl.scratch / "tokens.bin")
    impl.data.write_tokens(path, np.arange(5), "uint16")
    impl.data.write_tokens(path, [], np.dtype("uint16"))
    (content,) = impl.readers.files_bytes([path])
    expect(content, "a file without tokens, which replaces the other").equals(b"")


@pytest.mark.exercise("token_file")
def test_a_refused_call_writes_nothing(impl, rng):
    """Tokens or dtypes that do not fit are refused: the old file stays, and no new one appears"""
    path, other = str(impl.scratch / "tokens.bin"), str(impl.scratch / "other.bin")
    old = [int(n) for n in rng.integers(1000, size=9)]
    impl.data.write_tokens(path, old, "uint16")
    many = [5] * 20_000
    for tokens, dtype in [
        *((([*many, 65536]), "uint16"), ([-1, *many], "uint16"), ([2**63], "int64")),
        *(([70000, -4464], "uint16"), (np.array([2**63], dtype=np.uint64), "int64")),
        *((np.array([-1]), "uint64"), ([2**64], "uint64"), ([1], "float32"), ([], "float64")),
        *(([1], "bool"), ([], "bool"), ([1], "complex64"), ([], "m8[s]"), ([1], "M8[s]")),
    ]:
        for where in (path, other):
            with pytest.raises(ValueError):
                impl.data.write_tokens(where, tokens, dtype)
    expect(impl.readers.names_in(str(impl.scratch)), "the files").equals(["tokens.bin"])
    expect(impl.readers.file_bytes(path), "the old file").equals(
        np.array(old, dtype="<u2").tobytes(), hint="check all tokens before you open the file"
    )


@pytest.mark.exercise("token_file")
def test_opens_in_little_endian(impl, shared_folder, rng):
    """A map is little-endian, in any form of the dtype; an empty or a missing file is refused"""
    path = shared_folder / "tokens.bin"
    tokens = rng.integers(2**16, size=30)
    path.write_bytes(tokens.astype("<u2").tobytes())
    for form in ("type", "dtype", "name"):
        (window,) = impl.scenarios.read_tokens("uint16", (r for r in (str(path), (3, 20))), form)
        expect(window.tolist(), "tokens 3 to 20").equals(tokens[3:20].tolist())
    (shared_folder / "empty.bin").touch()
    with pytest.raises(ValueError):
        impl.scenarios.opened_as(str(shared_folder / "empty.bin"), "uint16")
    with pytest.raises(FileNotFoundError):
        impl.scenarios.opened_as(str(shared_folder / "missing.bin"), "uint16")


@pytest.mark.exercise("get_batch")
def test_targets_are_moved_on_by_one(impl):
    """In the corpus 0, 1, 2, … each target is its token plus one; both are int64"""
    batch = impl.data.get_batch(np.arange(1000, dtype=np.uint16), 4, 8)
    x, y = expect(batch, "the batch").is_a(tuple, hint="return x, y")
    expect(x, "x").is_tensor((4, 8), torch.int64, hint="an embedding takes int64, not uint16")
    expect(y, "y").is_tensor((4, 8), torch.int64)
    expect(y, "y").equals(x + 1, hint="y is the same window, one token later")
    expect(x, "x").equals(x[:, :1] + torch.arange(8), hint="a window is contiguous in the corpus")


@pytest.mark.exercise("get_batch")
def test_every_start_is_drawn(impl):
    """Six tokens have three windows of 3 with targets: starts 0, 1 and 2 are all drawn"""
    x, _ = impl.data.get_batch(np.arange(6, dtype=np.uint16), 200, 3)
    expect(sorted(set(x[:, 0].tolist())), "the starts in a batch of 200").equals(
        [0, 1, 2], hint="the last start is T - C - 1; does your upper bound include it?"
    )


@pytest.mark.exercise("get_batch")
def test_seed_repeats_the_batch(impl):
    """The seed of the global generators decides the batch"""
    tokens = np.arange(50000, dtype=np.uint16)
    x, _ = impl.scenarios.seeded_batch(1, tokens, 16, 4)
    again, _ = impl.scenarios.seeded_batch(1, tokens, 16, 4)
    expect(again, "x of the same seed").equals(
        x, hint="draw with torch.randint or np.random.randint, not from a generator of your own"
    )
    other, _ = impl.scenarios.seeded_batch(2, tokens, 16, 4)
    assert not torch.equal(other, x), "two seeds gave the same batch"


@pytest.mark.exercise("get_batch")
def test_a_mask_in_x_stays_there(impl):
    """Overwriting x changes neither y nor the corpus"""
    for count in (1, 3):
        tokens = np.arange(30, dtype=np.int64)
        expect(impl.data.get_batch(tokens, count, 8)[0], "x").is_tensor((count, 8), torch.int64)
        found = impl.scenarios.masked_batch(tokens, count, 8)
        expect(found["after"], "y and the corpus").equals(
            found["before"], hint="x and y share storage: clone() one of them"
        )


@pytest.mark.exercise("get_batch")
def test_refuses_a_corpus_too_short(impl):
    """Four tokens have one window of 3 with its target; one of 4, and no tokens, are refused"""
    tokens = np.arange(4, dtype=np.uint16)
    expect(impl.data.get_batch(tokens, 1, 3)[1], "y").equals(torch.tensor([[1, 2, 3]]))
    for few, context_length in [(tokens, 4), (tokens[:0], 1)]:
        with pytest.raises(ValueError):
            impl.data.get_batch(few, 1, context_length)


@pytest.mark.exercise("get_batch")
def test_tokens_of_any_dtype(impl, rng):
    """Tokens of any integer dtype and layout come through exactly, negative ones too"""
    for dtype in ("uint8", "uint16", "int16", "uint32", "int32", "int64"):
        ends = np.iinfo(dtype)
        low, high = max(ends.min, -(2**63)), min(ends.max, 2**63 - 1)
        tokens = np.array([int(n) for n in rng.integers(low, high, size=24)]).astype(dtype)
        tokens[3] = high
        for given in (tokens, tokens[::-1], tokens[2::3]):
            x, y = impl.data.get_batch(given, 5, 3)
            windows = [[int(t) for t in given[s : s + 4]] for s in range(len(given) - 3)]
            for row in range(5):
                found = [*x[row].tolist(), y[row, -1].item()]
                assert found in windows, (
                    f"row {row} of a batch of {dtype} is {found}, which is no window of the corpus"
                )
                expect(y[row, :-1].tolist(), f"y of row {row}").equals(x[row, 1:].tolist())


@pytest.mark.exercise("get_batch")
def test_each_start_is_drawn_for_itself(impl):
    """Starts may repeat before all have come, and each is as likely as any other"""
    tokens, counts, repeated = np.arange(11), np.zeros(8), False
    for _ in range(20):
        starts = impl.data.get_batch(tokens, 8, 3)[0][:, 0].numpy()
        repeated |= len(set(starts.tolist())) < 8
        counts += np.bincount(starts, minlength=8)
    expect(repeated, "does a start repeat in one of 20 batches of 8").equals(
        True, hint="draw with replacement"
    )
    # 160 draws: each of 8 starts comes 20 times, with a standard deviation of 4.2.
    assert counts.min() > 0, f"of 160 starts, {counts.astype(int).tolist()} were 0, 1, …, 7"


@pytest.mark.exercise("get_batch")
def test_the_batch_is_on_the_device(impl):
    """Both x and y are on the device, which is a name or a torch.device"""
    x, y = impl.scenarios.moved_batch(np.arange(100), 4, 8)
    expect(y, "y").equals(x + 1)
