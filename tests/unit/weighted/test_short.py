"""A counterexample of a range of lengths is as short as the words that the beam finds."""

from privet import HiddenMarkovModel, verify


def test_a_range_gives_a_short_word() -> None:
    """Ratio 4 is exceeded from two symbols on; the longest words would exceed it too."""
    model = HiddenMarkovModel([[1, 0], [0, 1]], [["2/3", "1/3"], ["1/4", "3/4"]])
    for length in (range(1, 41), None):
        outcome = verify.hidden_markov(model, 0, 1, ratio=4, length=length)
        assert isinstance(outcome, verify.Violated)
        assert outcome.word == [0, 0]
