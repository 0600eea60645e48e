"""What is remembered for each word length: bounded, the last used, never copied."""

import pickle

from privet.mechanisms.by_length import MOST_LAWS, ByLength


class Counted:
    """Squares, and how often each was worked out."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def __call__(self, length: int) -> int:
        self.calls.append(length)
        return length * length


def test_a_law_is_worked_out_once_and_kept_while_it_is_used() -> None:
    make = Counted()
    laws = ByLength(make)
    for length in range(1, 2 * MOST_LAWS):
        assert laws[length] == length * length
        assert laws[1] == 1
    assert make.calls == list(range(1, 2 * MOST_LAWS))


def test_the_lengths_not_used_for_longest_are_forgotten() -> None:
    make = Counted()
    laws = ByLength(make)
    for length in range(MOST_LAWS + 1):
        assert laws[length] == length * length
    assert laws[MOST_LAWS] == MOST_LAWS**2
    assert laws[0] == 0
    assert make.calls == [*range(MOST_LAWS + 1), 0]


def test_copies_for_other_processes_start_empty() -> None:
    laws = ByLength(Counted())
    assert laws[3] == 9
    copy = pickle.loads(pickle.dumps(laws))
    assert copy[3] == 9
    assert copy._make.calls == [3, 3]
