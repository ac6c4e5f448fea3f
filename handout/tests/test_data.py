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
    with pytest.raises(ValueError):
        impl.scenarios.opened_as(str(path), "uint32")


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
    """Who overwrites x changes neither y nor the corpus"""
    for count in (1, 3):
        tokens = np.arange(30, dtype=np.int64)
        expect(impl.data.get_batch(tokens, count, 8)[0], "x").is_tensor((count, 8), torch.int64)
        found = impl.scenarios.masked_batch(tokens, count, 8)
        expect(found["after"], "y and the corpus").equals(
            found["before"], hint="x and y share storage: clone() one of them"
        )


@pytest.mark.exercise("get_batch")
def test_refuses_a_corpus_too_short(impl):
    """Four tokens have one window of 3 with its target; a window of 4 is refused"""
    tokens = np.arange(4, dtype=np.uint16)
    expect(impl.data.get_batch(tokens, 1, 3)[1], "y").equals(torch.tensor([[1, 2, 3]]))
    with pytest.raises(ValueError):
        impl.data.get_batch(tokens, 1, 4)
