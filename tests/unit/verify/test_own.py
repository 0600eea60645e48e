"""Every mechanism of the registry, its claims beside its whole table; and twins that break them."""

import inspect
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import pytest

from privet import Alphabet, Language, MarkovChain, MarkovFramework, verify
from privet.errors import ModelError, ParameterError, ParameterTypeError
from privet.exact import exp_down, exp_up
from privet.mechanisms import (
    REGISTRY,
    Exponential,
    HammingMechanism,
    MarkovLaplace,
    MarkovQuilt,
    Mechanism,
    RandomizedResponse,
    SeriesMechanism,
    Wasserstein,
    WassersteinTable,
    WordExponential,
    WordPermuteAndFlip,
    WordStaircase,
)
from privet.mechanisms.markov_laplace import reference
from privet.queries import count, histogram, transitions
from privet.verify.own.sums import ExponentialSum

F = Fraction
ABC = Alphabet(["a", "b", "c"])


def grid() -> Language:
    """Steps between neighbours of a row of three, or a rest."""
    return Language.from_allowed(ABC, [[1, 1, 0], [1, 1, 1], [0, 1, 1]])


def no_repeats() -> Language:
    return Language.from_allowed(ABC, [[0, 1, 1], [1, 0, 1], [1, 1, 0]])


def even() -> Language:
    """Words with an even number of b: no two of them differ in one place alone."""
    return Language.from_regex(Alphabet(["a", "b"]), "(a|ba*b)*")


CHAINS = {
    "independent": MarkovChain(["1/2", "1/2"], [["1/2", "1/2"]] * 2, ["off", "on"]),
    "sticky": MarkovChain(["1/2", "1/2"], [["4/5", "1/5"], ["1/5", "4/5"]], ["off", "on"]),
    "uneven": MarkovChain(["3/10", "7/10"], [["9/10", "1/10"], ["2/3", "1/3"]], ["off", "on"]),
    "started": MarkovChain([1, 0], [["2/3", "1/3"], ["1/3", "2/3"]], ["off", "on"]),
    "three": MarkovChain(
        ["1/2", "1/4", "1/4"],
        [["3/5", "1/5", "1/5"], ["1/10", "4/5", "1/10"], ["1/3", "1/3", "1/3"]],
        ["off", "on", "idle"],
    ),
}
TABLE: Any = {
    "calm": {
        "yes": {0: "1/2", 1: "1/4", 3: "1/4"},
        "no": {0: "1/4", 1: "1/4", 2: "1/2"},
    },
    "storm": {"yes": {1: 1}, "no": {0: "1/3", 2: "2/3"}},
}


@dataclass(frozen=True)
class Case:
    """A mechanism on a small case, and where its guarantee must be attained."""

    name: str
    make: Callable[[], Mechanism]
    options: dict[str, Any]
    tight: bool | None = None
    """Whether the guarantee is; None where nothing is known."""

    def __str__(self) -> str:
        return f"{self.name}{'-'.join(map(str, self.options.values()))}"


def word_cases() -> Iterator[Case]:
    for epsilon, length in itertools.product(("1/10", "3"), (1, 2)):
        yield Case(
            f"response {epsilon} ",
            partial(RandomizedResponse, ABC, epsilon=epsilon),
            {"length": length},
            tight=True,
        )
        yield Case(
            f"response with delta {epsilon} ",
            partial(RandomizedResponse, ABC, epsilon=epsilon, delta="1/100"),
            {"length": length},
            tight=True,
        )
    for epsilon, b, calibration in itertools.product(("1/3", "4"), (1, 2), ("paper", "exact")):
        for length, m in ((1, 3), (2, 3), (3, 2)):
            made: Any = {"epsilon": epsilon, "adjacency": b, "calibration": calibration}
            for kind in (WordExponential, WordPermuteAndFlip):
                yield Case(
                    f"{kind.name} {epsilon} {b} {calibration} {m} ",
                    partial(kind, Alphabet(range(m)), **made),
                    {"length": length},
                    tight=_reaches(kind, b, length, calibration),
                )
        if calibration == "exact":
            yield Case(
                f"staircase {epsilon} {b} ",
                partial(WordStaircase, ABC, epsilon=epsilon, adjacency=b),
                {"length": 2},
                tight=True,
            )


def _reaches(kind: type, b: int, length: int, calibration: str) -> bool | None:
    """The exact rate spends epsilon, on words long enough to differ in all b places."""
    if kind is WordExponential:
        return calibration == "exact" and length >= b
    return None if calibration == "exact" else False


def language_cases() -> Iterator[Case]:
    kinds: list[Any] = [WordExponential, WordPermuteAndFlip]
    for kind, language, b in itertools.product(kinds, (grid, no_repeats), (1, 2)):
        for outside in ("refuse", "allow"):
            yield Case(
                f"{kind.name} on {language.__name__} {b} {outside} ",
                partial(kind, language(), epsilon=2, adjacency=b, outside=outside),
                {"length": 3},
            )
    for kind in kinds:
        yield Case(
            f"{kind.name} without neighbours ",
            partial(kind, even(), epsilon=1, unprotected="allow"),
            {"length": 3},
        )
        yield Case(
            f"{kind.name} even ", partial(kind, even(), epsilon=1, adjacency=2), {"length": 4}
        )


def series_cases() -> Iterator[Case]:
    queries: list[Any] = [
        (count("on"), None),
        (count("on"), (1, 3)),
        (histogram(), None),
        (transitions(), None),
    ]
    for chain, (query, nodes) in itertools.product(CHAINS, queries):
        if chain == "three" and query.kind == "transitions":
            continue  # nine numbers: too many outputs for a quick test
        options = {"length": 3, "query": query, "nodes": nodes}
        for method in ("best", "propagation", "quilt", "group"):
            yield Case(
                f"laplace {chain} {method} ",
                partial(MarkovLaplace, MarkovFramework(CHAINS[chain]), epsilon=1, method=method),
                options,
                tight=True
                if chain == "independent" and query.kind == "count" and method in ("best", "quilt")
                else None,
            )
        if chain != "started":
            yield Case(
                f"quilt {chain} ",
                partial(MarkovQuilt, MarkovFramework(CHAINS[chain]), epsilon="1/2"),
                options,
            )
        if query.kind == "count":
            yield Case(
                f"wasserstein {chain} ",
                partial(Wasserstein, MarkovFramework(CHAINS[chain]), epsilon=2),
                options,
            )
    family = MarkovFramework([CHAINS["sticky"], CHAINS["uneven"]], initial="stationary")
    yield Case("laplace family ", lambda: MarkovLaplace(family, epsilon=1), {"length": 4})


def other_cases() -> Iterator[Case]:
    scores: Any = [[3, 1, 0], [2, 2, 0], [0, 1, "1/2"]]
    yield Case("scores ", lambda: Exponential(ABC, scores=scores, sensitivity=3, epsilon=2), {})
    yield Case(
        "scores of neighbours ",
        lambda: Exponential(
            ABC,
            scores=scores,
            sensitivity=2,
            epsilon=2,
            inputs=["x", "y", "z"],
            neighbours=[("x", "y"), ("y", "z")],
        ),
        {},
    )
    yield Case("table ", lambda: WassersteinTable(TABLE, epsilon=1), {})
    yield Case(
        "table of pairs ", lambda: Wasserstein.from_table(TABLE, [("yes", "no")], epsilon="1/2"), {}
    )


CASES = [*word_cases(), *language_cases(), *series_cases(), *other_cases()]


def test_every_mechanism_of_the_registry_is_checked() -> None:
    assert {case.make().name for case in CASES} == set(REGISTRY)
    for name, kind in REGISTRY.items():
        if "language" in inspect.signature(kind).parameters:
            assert any(
                case.make().name == name and not case.make().language.is_all  # type: ignore[attr-defined]  # of words
                for case in CASES
            )


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_claim_is_kept(case: Case) -> None:
    found = verify.own_mechanism(case.make(), **case.options)
    assert found.guarantee.kept
    assert found.spent.kept
    assert found.kept
    no_loss = isinstance(found.mechanism, Wasserstein | WassersteinTable)
    assert (found.record_loss is None) == no_loss
    if found.record_loss is not None:
        assert found.record_loss.kept
        assert found.record_loss.compared > 0
    if case.tight is not None:
        assert found.guarantee.is_tight == case.tight
    if found.guarantee.worst is None:
        assert isinstance(found.mechanism, WordExponential | WordPermuteAndFlip)
        assert "without neighbours" in case.name
    else:
        worst = found.guarantee.worst
        assert worst.loss.low <= worst.loss.high <= worst.allowed or found.guarantee.delta


EXACTLY_SPENT = [
    case
    for case in word_cases()
    if "permute" in case.name or "exponential" in case.name or "staircase" in case.name
]


@pytest.mark.parametrize("case", EXACTLY_SPENT, ids=str)
def test_what_words_are_said_to_spend_they_spend(case: Case) -> None:
    assert verify.own_mechanism(case.make(), **case.options).spent.is_tight


# ------------------------------------------------------------------- the table, and its neighbours


def test_the_table_of_randomised_response() -> None:
    mechanism = RandomizedResponse(ABC, epsilon=1)
    table = verify.own_table(mechanism, 2)
    keep, move = mechanism.keep_probability, mechanism.move_probability
    assert len(table.rows) == 9
    assert all(sum(row) == 1 for row in table.rows)
    assert table.row(("a", "b"))[table.outputs.index(("a", "c"))] == keep * move
    assert len(table.neighbours) == 9 * 4 // 2
    ratio = verify.smallest_ratio(table.rows, neighbours=table.neighbours)[0]
    assert ratio == keep / move
    found = verify.own_mechanism(mechanism, length=2).guarantee.worst
    assert found is not None
    assert (found.first, found.second, found.output) == (("a", "a"), ("a", "b"), ("a", "a"))
    assert exp_down(F(found.loss.low), 200) <= ratio <= exp_up(F(found.loss.high), 200)


def race(distances: list[int], q: Fraction) -> list[Fraction]:
    """Permute-and-flip by every order of the candidates."""
    law, orders = [F(0)] * len(distances), list(itertools.permutations(range(len(distances))))
    for order in orders:
        reached = F(1)
        for candidate in order:
            chance = q ** (distances[candidate] - min(distances))
            law[candidate] += reached * chance
            reached *= 1 - chance
    return [share / len(orders) for share in law]


@pytest.mark.parametrize("outside", ["refuse", "allow"])
def test_the_tables_on_a_language_are_those_of_the_definition(outside: Any) -> None:
    words = [w for w in product("abc", repeat=2) if no_repeats().contains(list(w))]
    inputs = list(product("abc", repeat=2)) if outside == "allow" else words
    exponential: Any = WordExponential(no_repeats(), epsilon=2, outside=outside)
    flip: Any = WordPermuteAndFlip(no_repeats(), epsilon=2, outside=outside)
    for mechanism in (exponential, flip):
        table = verify.own_table(mechanism, 2)
        assert [*table.inputs] == inputs
        assert [*table.outputs] == words
        q = mechanism.ratio(2)
        for word, row in zip(table.inputs, table.rows, strict=True):
            far = [sum(a != b for a, b in zip(word, x, strict=True)) for x in words]  # type: ignore[call-overload]  # a word
            if mechanism is exponential:
                expected = [q**d / sum(q**e for e in far) for d in far]
            else:
                expected = race(far, q)
            assert [*row] == expected


def test_the_worst_pair_attains_what_is_reported() -> None:
    for case in [*series_cases()][::7]:
        mechanism: Any = case.make()
        if mechanism.framework.initial != "given" or case.options["nodes"]:
            continue
        if len(mechanism.alphabet) > 2:
            continue
        chain = mechanism.framework.chains[0]
        law = reference.word_law((chain.exact_initial, chain.exact_transition), 3)
        query = case.options["query"]
        size = len(chain.states)
        numbers: Any = {
            "count": lambda w: reference.count(w, {1}),
            "histogram": partial(reference.histogram, size=size),
            "transitions": partial(reference.transitions, size=size),
        }[query.kind]
        least, most = reference.worst_ratio(law, numbers, mechanism.grid_scale(query, 3))
        found = verify.own_mechanism(mechanism, **case.options).guarantee.worst
        assert found is not None
        assert exp_down(F(found.loss.low), 200) <= most
        assert least <= exp_up(F(found.loss.high), 200)


# ------------------------------------------------------------------------- twins that break claims


class Boasting(WordExponential):
    """Its law is that of the rate epsilon / adjacency, its claim a little less."""

    def spent(self, length: int = 1) -> Fraction:
        return super().spent(length) * F(999_999, 10**6)


def test_a_spent_epsilon_that_is_too_small_is_seen() -> None:
    found = verify.own_mechanism(Boasting(ABC, epsilon=1), length=2)
    assert found.guarantee.kept
    assert not found.spent.kept
    assert not found.kept


def test_half_an_epsilon_breaks_every_mechanism_that_is_tight() -> None:
    for case in CASES:
        mechanism: Any = case.make()
        # These work out their law when they are made, or not from epsilon.
        fixed = isinstance(mechanism, RandomizedResponse | WordExponential | WordStaircase)
        if not case.tight or mechanism.guarantee.delta or not fixed:
            continue
        mechanism.__dict__["epsilon"] = mechanism.epsilon / 2
        found = verify.own_mechanism(mechanism, **case.options)
        assert not found.guarantee.kept
        assert found.guarantee.worst is not None
        assert found.guarantee.worst.loss.low > mechanism.epsilon


def test_half_a_delta_is_seen() -> None:
    mechanism = RandomizedResponse(ABC, epsilon=1, delta="1/100")
    assert verify.own_mechanism(mechanism, length=2).guarantee.is_tight
    mechanism.delta = F(1, 200)
    assert not verify.own_mechanism(mechanism, length=2).guarantee.kept


def test_a_scale_that_is_too_small_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = Wasserstein(MarkovFramework(CHAINS["independent"]), epsilon=2)
    tie = verify.own_mechanism(mechanism, length=3, query=count("on")).guarantee
    assert tie.kept
    assert tie.worst is not None
    assert tie.worst.loss.low == tie.worst.loss.high == 2
    scale = mechanism.grid_scale(count("on"), 3)
    less = scale * (1 - F(1, 1 << 200))
    monkeypatch.setattr(Wasserstein, "grid_scale", lambda *_: less)
    found = verify.own_mechanism(mechanism, length=3, query=count("on"))
    assert not found.guarantee.kept
    assert found.guarantee.worst is not None
    assert found.guarantee.worst.loss.high > 2


def test_a_record_loss_for_neighbours_alone_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    from privet.privacy import RecordLoss

    mechanism = WordExponential(ABC, epsilon=2, adjacency=2)
    less = mechanism.record_loss(2).maximum * F(99, 100)
    monkeypatch.setattr(WordExponential, "record_loss", lambda *_: RecordLoss.constant(2, less))
    found = verify.own_mechanism(mechanism, length=2)
    assert found.guarantee.kept
    assert found.record_loss is not None
    assert not found.record_loss.kept
    assert found.record_loss.worst is not None
    assert found.record_loss.worst.loss.low > found.record_loss.worst.allowed


# ------------------------------------------------------------------------------ sums of powers of e


def test_a_tie_is_decided_exactly() -> None:
    two = ExponentialSum({F(1, 3): F(2)})
    assert two.minus(ExponentialSum({F(0): F(2)}).shifted(F(1, 3))).sign() == 0
    squared = two.times(two)
    assert squared == ExponentialSum({F(2, 3): F(4)})
    assert hash(squared) == hash(ExponentialSum({F(2, 3): F(4)}))
    assert not squared.minus(squared)


def test_signs_that_doubles_do_not_see() -> None:
    tiny = F(1, 10**60)
    near = ExponentialSum({F(0): 1 + tiny, tiny: F(-1)})
    # 1 + x < e^x, by x^2 / 2.
    assert near.sign() == -1
    assert near.shifted(F(5)).sign() == -1
    assert ExponentialSum({F(0): F(1), -tiny: F(-1)}).sign() == 1
    assert ExponentialSum.of(0).sign() == 0


@pytest.mark.parametrize("seed", range(20))
def test_signs_are_those_of_the_value(seed: int) -> None:
    import random

    draw = random.Random(seed)
    terms = {F(draw.randint(-9, 9), 3): F(draw.randint(-5, 5), 2) for _ in range(4)}
    value = sum(float(c) * math.exp(r) for r, c in terms.items())
    if abs(value) > 1e-6:
        assert ExponentialSum(terms).sign() == math.copysign(1, value)


# --------------------------------------------------------------------------------------- bad input


def test_what_cannot_be_listed_is_refused() -> None:
    with pytest.raises(ParameterError, match="too many words"):
        verify.own_mechanism(RandomizedResponse(ABC, epsilon=1), length=9)
    with pytest.raises(ParameterError, match="too many words"):
        verify.own_table(RandomizedResponse(ABC, epsilon=1), 10**9)
    with pytest.raises(ParameterError, match="pairs of 243 inputs"):
        verify.own_mechanism(RandomizedResponse(ABC, epsilon=1), length=5)
    assert len(verify.own_table(RandomizedResponse(ABC, epsilon=1), 5).rows) == 243
    with pytest.raises(ParameterError, match="words of that length"):
        verify.own_mechanism(MarkovLaplace(MarkovFramework(CHAINS["sticky"]), epsilon=1), length=20)
    with pytest.raises(ParameterError, match="at least 1"):
        verify.own_mechanism(RandomizedResponse(ABC, epsilon=1), length=0)
    loose = Exponential(ABC, scores=lambda _x, _y: 0, sensitivity=1, epsilon=1)
    with pytest.raises(ParameterError, match="not listed"):
        verify.own_mechanism(loose)
    framework = MarkovFramework(CHAINS["sticky"], initial="any")
    with pytest.raises(ModelError, match="infinitely many"):
        verify.own_mechanism(MarkovLaplace(framework, epsilon=1), length=3, query=count("on"))
    with pytest.raises(ParameterTypeError, match="not known"):
        verify.own_mechanism("randomized-response")  # type: ignore[arg-type]  # on purpose


def test_a_mechanism_of_another_kind_is_refused() -> None:
    class Other(WordStaircase):
        pass

    assert isinstance(Other(ABC, epsilon=1), HammingMechanism)
    assert verify.own_mechanism(Other(ABC, epsilon=1)).kept
    assert issubclass(MarkovLaplace, SeriesMechanism)
