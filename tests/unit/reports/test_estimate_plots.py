"""The picture of estimates: every cell with its intervals, the same bytes, nothing unreadable."""

from pathlib import Path

import pytest

from privet import Alphabet, ParameterError, RandomizedResponse, estimate
from privet.estimate.table import TableEstimate
from privet.reports.estimate_plots import LARGEST_PLOT, estimate_figure, write_estimate_plot

VOTE, NEWS = Alphabet(["Clinton", "$Dole$"]), Alphabet(range(3))


def estimates() -> list[tuple[str, TableEstimate]]:
    vote, news = (RandomizedResponse(each, epsilon=2) for each in (VOTE, NEWS))
    joint = estimate.joint_frequencies_from_counts([[5, 6, 7], [1, 2, 3]], [vote, news])
    return [("vote", estimate.frequencies_from_counts([30, 20], vote)), ("both", joint)]


def test_every_cell_has_its_place_and_its_share() -> None:
    found = estimates()
    figure = estimate_figure(found)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["vote", "both"]
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == ["Clinton", r"\$Dole\$"]
    cells = [label.get_text() for label in figure.axes[1].get_yticklabels()]
    assert cells[:2] == ["Clinton, 0", "Clinton, 1"]
    shares = figure.axes[1].lines[0].get_xdata()
    assert list(shares) == found[1][1].shares.ravel().tolist()  # type: ignore[arg-type]  # an array, not a scalar


def test_columns_called_as_numbers_are_keep_their_symbols() -> None:
    vote, news = (RandomizedResponse(each, epsilon=2) for each in (VOTE, NEWS))
    joint = estimate.joint_frequencies_from_counts(
        [[5, 6, 7], [1, 2, 3]], [vote, news], names=["share", "lower"]
    )
    (axes,) = estimate_figure([("both", joint)]).axes
    cells = [label.get_text() for label in axes.get_yticklabels()]
    assert cells[:2] == ["Clinton, 0", "Clinton, 1"]


def test_the_same_numbers_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg"):
        write_estimate_plot(tmp_path / name, estimates())
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_a_picture_of_too_many_cells_is_refused(tmp_path: Path) -> None:
    many = RandomizedResponse(Alphabet(range(LARGEST_PLOT + 1)), epsilon=2)
    found = estimate.frequencies_from_counts([3] * (LARGEST_PLOT + 1), many)
    with pytest.raises(ParameterError, match="could not be read"):
        write_estimate_plot(tmp_path / "plot.svg", [("many", found)])
    assert list(tmp_path.iterdir()) == []
