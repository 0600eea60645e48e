"""Many releases about independent records at a small delta: the tight epsilon, proved.

Contract. Whatever a release does, given what went out before, it is at most as revealing about a
unit of loss r as a binary randomised response that tells one bit truthfully with odds e^r to 1; and
so are many of them together ([kairouz-oh-viswanath-2015], Theorem 3.2; [murtagh-vadhan-2016]). A
release that states its responses (`privet.privacy.Response`) is charged by those, which tell less.
The epsilon that comes out is never below the true one for that delta, however small delta is, and
never above the sum. Libraries that compose by a Fourier transform in doubles do not promise that: a
delta of 1e-12 is near their rounding errors.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Literal

from privet.accounting.charge import Lost
from privet.accounting.profile import Responses, least_epsilon
from privet.exact import read_count, read_delta, up
from privet.privacy import Response

Unit = tuple[Fraction, Responses]
"""What a unit loses in all, and the responses it gave."""

_MOST_TIMES = 1 << 20
"""Responses whose law is written out; more of them are put together to larger ones."""

_MOST_CLASSES = 5_000_000
"""Pieces times different losses that are looked through for the worst record."""

_BITS = 64
"""The epsilon is rounded up to a multiple of 2^-64."""


def epsilon_at_delta(
    unit: int | Literal["all"], releases: Iterable[tuple[Lost, int]], delta: Fraction
) -> Fraction:
    """The epsilon of releases (what is lost, how many times) at that delta, for the worst unit.

    Rounded up. `unit`: records one protected unit may change, or "all"; a shorter loss is 0 beyond
    its end. A unit of several records loses in each release what its largest losses there sum to,
    or gives the release's responses as often as it has records there. Errors: ParameterError for a
    delta outside [0, 1).
    """
    allowed = read_delta(delta)
    counted: Counter[Lost] = Counter()
    for lost, times in releases:
        counted[lost] += read_count(times, "times", 0)
    worst = Fraction(0)
    for whole, responses in sorted(_units(unit, counted), key=lambda each: each[0], reverse=True):
        if whole <= worst:
            break
        tight = tight_epsilon(responses, allowed) if allowed else whole
        worst = max(worst, min(whole, tight))
    return worst


def tight_epsilon(responses: Iterable[tuple[Response, int]], delta: Fraction) -> Fraction:
    """The epsilon at `delta` of (response, how many times), all independent, rounded up."""
    kept: Counter[Response] = Counter()
    for response, times in responses:
        kept[response] += times if response.loss else 0
    kept = +kept
    whole = sum((response.loss * times for response, times in kept.items()), Fraction(0))
    if not delta or not kept:
        return whole
    found = least_epsilon(_fewer(kept), delta)
    return whole if found is None else min(whole, up(found, _BITS))


def _fewer(kept: Counter[Response]) -> Responses:
    """At most about 2^20 responses: several together lose the sum, so a binary one tells more."""
    group = -(-kept.total() // _MOST_TIMES)
    if group <= 1:
        return sorted(kept.items())
    fewer: Counter[Response] = Counter()
    for response, times in kept.items():
        fewer[Response(response.loss * min(group, times))] += -(-times // group)
    return sorted(fewer.items())


def _units(unit: int | Literal["all"], counted: Counter[Lost]) -> set[Unit]:
    """What different units lose, each once."""
    if unit != 1:
        return {_unit((*_of_several(unit, lost), times) for lost, times in counted.items())}
    changes: dict[int, Counter[Piece]] = {}
    for lost, times in counted.items():
        for start, stop, value in lost.record_loss.pieces:
            if value:
                changes.setdefault(start, Counter())[value, lost.responses] += times
                changes.setdefault(stop, Counter())[value, lost.responses] -= times
    pieces = {piece for change in changes.values() for piece in change}
    if len(changes) * len(pieces) > _MOST_CLASSES:
        # As if all of a record's losses were one release: their sum, which is never too little.
        return {(whole, ((Response(whole), 1),)) for whole in _sums(changes)}
    now: Counter[Piece] = Counter()
    found: set[frozenset[tuple[Piece, int]]] = set()
    for place in sorted(changes):
        for piece, times in changes[place].items():
            now[piece] += times
            if not now[piece]:
                del now[piece]
        found.add(frozenset(now.items()))
    return {
        _unit((value, responses, 1, times) for (value, responses), times in each) for each in found
    }


Piece = tuple[Fraction, tuple[Response, ...]]
"""What one record loses in one release, and how that release answers it, if it says so."""


def _of_several(
    unit: int | Literal["all"], lost: Lost
) -> tuple[Fraction, tuple[Response, ...], int]:
    """What several records lose in one release, its responses, and to how many of the records."""
    loss = lost.record_loss
    answered = sum(stop - start for start, stop, value in loss.pieces if value)
    if unit == "all":
        return loss.total, lost.responses, answered
    return loss.largest(unit), lost.responses, min(unit, answered)


def _unit(
    releases: Iterable[tuple[Fraction, tuple[Response, ...], int, int]],
) -> Unit:
    """Of (loss, responses or none, answers of each, times): the responses that stand for all."""
    whole = Fraction(0)
    counted: Counter[Response] = Counter()
    for value, responses, answers, times in releases:
        whole += value * times
        for response in responses:
            counted[response] += answers * times
        if not responses:
            counted[Response(value)] += times
    return whole, tuple(sorted(counted.items()))


def _sums(changes: dict[int, Counter[Piece]]) -> Iterator[Fraction]:
    now = Fraction(0)
    for place in sorted(changes):
        now += sum((value * times for (value, _), times in changes[place].items()), Fraction(0))
        yield now
