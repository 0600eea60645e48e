"""The bit source: independent streams, never copied, renewed after a fork."""

import copy
import os
import pickle
import threading

import numpy as np
import pytest

from privet.errors import ParameterTypeError, RandomnessError
from privet.randomness import SystemSource, current_source, source, using_source
from privet.testing import ReplaySource


@pytest.mark.parametrize("kind", ["u1", "u2", "u4", "u8"])
@pytest.mark.parametrize("size", [0, 1, 1000, 300_001])
def test_fills_every_word(kind: str, size: int) -> None:
    out = np.zeros(size, kind)
    SystemSource().fill(out)
    # All bits of all words: neither end is left alone (a byte stays 0 with probability 1/256).
    if size >= 1000:
        assert np.bitwise_or.reduce(out[-64:]) == np.iinfo(out.dtype).max
        assert np.bitwise_and.reduce(out[-64:]) == 0
        assert np.count_nonzero(out) > 0.99 * size


def test_two_sources_and_two_calls_differ() -> None:
    first, second = SystemSource(), SystemSource()
    seen = {bytes(s.words(2).data) for s in (first, second) for _ in range(50)}
    assert len(seen) == 100


def test_two_dimensional_arrays_are_filled() -> None:
    out = np.zeros((3, 5), np.uint64)
    SystemSource().fill(out)
    assert len(np.unique(out)) == 15


@pytest.mark.parametrize(
    "out", [np.zeros(3, np.int64), np.zeros(3), np.zeros(6, np.uint8)[::2], np.zeros(3, bool)]
)
def test_refuses_what_is_not_contiguous_unsigned(out: np.ndarray) -> None:
    with pytest.raises(ParameterTypeError, match="contiguous"):
        SystemSource().fill(out)


def test_refuses_read_only() -> None:
    out = np.zeros(3, np.uint8)
    out.flags.writeable = False
    with pytest.raises(ParameterTypeError):
        SystemSource().fill(out)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_cannot_be_duplicated(duplicate: object) -> None:
    assert callable(duplicate)
    for error in (TypeError, RandomnessError):
        with pytest.raises(error, match="cannot be copied"):
            duplicate(SystemSource())


# From Python 3.12 on, forking warns where numpy's libraries hold threads; the child only draws.
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_draws_other_bits() -> None:
    mine = SystemSource()
    mine.words(4)
    ends = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(ends[1], mine.words(4).tobytes())
        os._exit(0)
    os.close(ends[1])
    with os.fdopen(ends[0], "rb") as pipe:
        theirs = pipe.read()
    assert os.waitpid(child, 0)[1] == 0
    assert len(theirs) == 32
    assert theirs != mine.words(4).tobytes()


def test_each_sign_of_a_fork_renews_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = SystemSource()
    streams = [mine._stream]
    with monkeypatch.context() as hookless:
        hookless.setattr(os, "getpid", lambda: -1)
        mine.words(1)
        streams.append(mine._stream)
    mine.words(1)
    streams.append(mine._stream)
    monkeypatch.setattr(source, "_forks", source._forks + 1)
    mine.words(1)
    streams.append(mine._stream)
    assert len(set(map(id, streams))) == 4


def test_rekeys_before_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "REKEY_AFTER_BYTES", 64)
    mine = SystemSource()
    before = mine._stream
    mine.words(8)
    assert mine._stream is before
    mine.words(1)
    assert mine._stream is not before
    assert mine._stream.used == 8


def test_current_source_is_private_and_one_a_thread() -> None:
    sources = [current_source()]
    worker = threading.Thread(target=lambda: sources.append(current_source()))
    worker.start()
    worker.join()
    assert sources[0] is current_source()
    assert sources[0] is not sources[1]
    assert all(s.private for s in sources)


def test_using_source_is_seen_here_only_and_ends() -> None:
    replay = ReplaySource(1)
    elsewhere = []
    with using_source(replay) as inside:
        assert inside is replay
        assert current_source() is replay
        assert not current_source().private
        worker = threading.Thread(target=lambda: elsewhere.append(current_source()))
        worker.start()
        worker.join()
    assert elsewhere[0].private
    assert current_source().private


def test_using_source_ends_after_an_error() -> None:
    with pytest.raises(KeyError), using_source(ReplaySource(1)):
        raise KeyError
    assert current_source().private


def test_the_plaintext_is_zero_and_immutable() -> None:
    assert isinstance(source._ZEROS, bytes)
    assert not any(source._ZEROS)
