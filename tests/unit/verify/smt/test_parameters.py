"""Claims about all values of parameters, and values for which a claim holds: known answers."""

from fractions import Fraction
from typing import Any

import pytest

from privet import HiddenMarkovModel, verify
from privet.errors import CertificateError, ModelError, ParameterError
from privet.verify import Parameters, SymbolicModel
from privet.verify.models import word_probability

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
GEOMETRIC = [["2/3", "1/6", "1/6"], ["1/3", "1/3", "1/3"], ["1/6", "1/6", "2/3"]]
"""Row i: a count of i in {0, 1, 2} under two-sided geometric noise of ratio 1/2, truncated."""

ENCODINGS = ["linear", "published"]
ILL, WELL = [0, "1 - p", "p"], ["1 - p", "p", 0]
"""How many of two are ill if one is, and if one is not; the other one is with probability p."""

ILL_OF_TWO = [0, "p1/2/(p1/2 + p2)", "p2/(p1/2 + p2)"]
WELL_OF_TWO = ["p0/(p0 + p1/2)", "p1/2/(p0 + p1/2)", 0]
"""The same for two exchangeable people, m of whom are ill with probability p_m."""

EXCHANGEABLE = ("0 < p0 < 1", "0 < p1 < 1", "0 < p2 < 1", "p0 + p1 + p2 = 1")


def counts(*constraints: str) -> SymbolicModel:
    still = [[int(i == j) for j in range(3)] for i in range(3)]
    return SymbolicModel(still, GEOMETRIC, Parameters(*constraints))


def coin(*constraints: str) -> SymbolicModel:
    """A state is left with probability p, and seen through noise of probability q."""
    return SymbolicModel(
        [["1 - p", "p"], ["p", "1 - p"]],
        [["1 - q", "q"], ["q", "1 - q"]],
        Parameters(*constraints),
    )


def holds(outcome: verify.Outcome) -> verify.SolverCertificate:
    assert isinstance(outcome, verify.Holds)
    assert isinstance(outcome.certificate, verify.SolverCertificate)
    return outcome.certificate


# --------------------------------------------------------------------------------- the examples


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_independent_disease_is_ln_2_private_for_every_p(encoding: str) -> None:
    for first, second in ((ILL, WELL), (WELL, ILL)):
        found = holds(
            verify.for_all_parameters(
                counts("0 < p < 1"), first, second, ratio=2, length=1, encoding=encoding
            )
        )
        assert (found.solver, found.encoding, found.length) == ("z3", encoding, 1)
        assert found.version.count(".") == 2
        assert "not independently checkable" in str(found)
        with pytest.raises(CertificateError):
            verify.check_certificate(found.to_json())


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_ratio_below_2_is_violated_for_some_p(encoding: str) -> None:
    outcome = verify.for_all_parameters(
        counts("0 < p < 1"), ILL, WELL, ratio="1.9", length=1, encoding=encoding
    )
    assert isinstance(outcome, verify.ParametersViolated)
    assert outcome.is_exact
    p = outcome.values["p"]
    assert isinstance(p, Fraction)
    assert 0 < p < 1
    model, codes = counts("0 < p < 1").at({"p": p}), [int(str(code)) for code in outcome.word]
    ill, well = (Fraction(0), 1 - p, p), (1 - p, p, Fraction(0))
    assert outcome.first_probability == word_probability(model, ill, codes)
    assert outcome.second_probability == word_probability(model, well, codes)
    assert outcome.claimed == Fraction(19, 10)
    assert outcome.ratio == outcome.first_probability / outcome.second_probability
    assert outcome.claimed < outcome.ratio <= 2


def test_one_thirty_second_is_a_witness() -> None:
    model = counts("0 < p < 1").at({"p": "1/32"})
    law = ["31/32", "1/32", 0]
    assert isinstance(
        verify.hidden_markov(model, [0, "31/32", "1/32"], law, ratio="1.9", length=1),
        verify.Violated,
    )


def test_a_contagious_disease_has_ratio_4() -> None:
    # Whoever is ill infects the other with probability p: beyond independence up to certainty.
    model = counts("0 <= p <= 1")
    holds(verify.for_all_parameters(model, ILL, 0, ratio=4, length=1))
    outcome = verify.for_all_parameters(model, ILL, 0, ratio="3.99", length=1)
    assert isinstance(outcome, verify.Violated)
    sure = verify.for_all_parameters(counts("1 <= p <= 1"), ILL, 0, ratio="3.99", length=1)
    assert isinstance(sure, verify.ParametersViolated)
    assert sure.ratio == 4


def test_a_prior_of_two_exchangeable_people_is_found_and_checked() -> None:
    model = counts(*EXCHANGEABLE)
    found = verify.find_parameters(
        model, ILL_OF_TWO, WELL_OF_TWO, ratio=2, length=1, both_ways=True
    )
    assert isinstance(found, verify.Found)
    p0, p1, p2 = (found.values[name] for name in ("p0", "p1", "p2"))
    assert isinstance(p0, Fraction)
    assert isinstance(p1, Fraction)
    assert isinstance(p2, Fraction)
    assert p0 + p1 + p2 == 1
    assert 0 < p0 * p2 <= p1**2 / 4
    assert len(found.certificates) == 2
    for certificate in found.certificates:
        claim = verify.check_certificate(certificate.to_json())
        assert claim.ratio == 2


def test_a_prior_that_is_not_binomial_is_found() -> None:
    model = counts(*EXCHANGEABLE, "p0*p2 < p1^2/4", "p0 = 2*p2")
    found = verify.find_parameters(
        model, ILL_OF_TWO, WELL_OF_TWO, ratio=2, length=1, both_ways=True
    )
    assert isinstance(found, verify.Found)
    assert found.values["p0"] == 2 * found.values["p2"]  # type: ignore[operator]  # a Fraction


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_two_exchangeable_people_are_private_exactly_below_the_binomial(encoding: str) -> None:
    below = counts(*EXCHANGEABLE, "p0*p2 <= p1^2/4")
    for first, second in ((ILL_OF_TWO, WELL_OF_TWO), (WELL_OF_TWO, ILL_OF_TWO)):
        holds(verify.for_all_parameters(below, first, second, ratio=2, length=1, encoding=encoding))
    above = counts(*EXCHANGEABLE, "p0*p2 > p1^2/4")
    nothing = verify.find_parameters(
        above, ILL_OF_TWO, WELL_OF_TWO, ratio=2, length=1, both_ways=True
    )
    assert isinstance(nothing, verify.NotFound)
    assert nothing.words
    assert nothing.certificate.solver == "z3"


def test_a_prior_that_is_zero_everywhere_is_refused() -> None:
    for law in ([0, 0, 0], ["p - p", 0, "0*p"], ["p - p", "q - q", 0]):
        for first, second in ((law, WELL), (ILL, law)):
            for ask in (verify.for_all_parameters, verify.find_parameters):
                with pytest.raises(ModelError, match=r"sums to 0|does not sum to 1"):
                    ask(counts("0 < p < 1", "0 < q < 1"), first, second, ratio=2, length=1)


# ------------------------------------------------------------------------- models with parameters


def test_the_ratio_may_be_a_parameter() -> None:
    model = counts("0 < p < 1", "2 <= c <= 3")
    holds(verify.for_all_parameters(model, ILL, WELL, ratio="c", length=1))
    lower = counts("0 < p < 1", "1 < c < 3")
    outcome = verify.for_all_parameters(lower, ILL, WELL, ratio="c", length=1)
    assert isinstance(outcome, verify.ParametersViolated)
    assert outcome.claimed == outcome.values["c"]
    with pytest.raises(ModelError, match="ratio is not positive"):
        verify.for_all_parameters(lower, ILL, WELL, ratio="c - 2", length=1)


def test_what_auto_does_with_parameters_and_with_numbers() -> None:
    model = coin("0.3 <= p <= 0.4", "0.4 <= q <= 0.6")
    for engine in ("auto", "smt", "smt-published"):
        holds(verify.hidden_markov(model, 0, 1, ratio=3, length=2, engine=engine))
    exact = verify.hidden_markov(model.at({"p": "0.35", "q": "0.4"}), 0, 1, ratio=3, length=2)
    assert isinstance(exact, verify.Holds)
    assert isinstance(exact.certificate, verify.ModelCertificate)
    with pytest.raises(ParameterError, match="has parameters"):
        verify.hidden_markov(model, 0, 1, ratio=3, length=2, engine="exact")
    for wrong in ({}, {"epsilon": 1}, {"ratio": 2, "epsilon": 1}):
        arguments: dict[str, Any] = wrong
        with pytest.raises(ParameterError, match="needs ratio"):
            verify.hidden_markov(model, 0, 1, length=2, **arguments)
    with pytest.raises(ParameterError, match="not every length"):
        verify.hidden_markov(model, 0, 1, ratio=2)


def test_a_range_of_lengths_is_decided_by_the_longest() -> None:
    model = coin("1/4 <= p <= 1/3", "1/4 <= q <= 1/4")
    worst = max(
        verify.worst_ratio(model.at({"p": "1/4", "q": "1/4"}), 0, 1, k)[0] for k in range(1, 4)
    )
    assert isinstance(worst, Fraction)
    found = holds(verify.for_all_parameters(model, 0, 1, ratio=worst, length=range(1, 4)))
    assert found.length == 3
    below = worst * Fraction(99, 100)
    outcome = verify.for_all_parameters(model, 0, 1, ratio=below, length=range(1, 4))
    assert isinstance(outcome, verify.ParametersViolated)
    assert outcome.word == [0, 0, 0]


def test_words_are_learnt_where_there_are_many() -> None:
    # The more a state is left, the less two first states can be told apart.
    model = coin("1/100 <= p <= 1/2", "2/5 <= q <= 2/5")
    found = verify.find_parameters(model, 0, 1, ratio="3/2 + 1/100", length=8, both_ways=True)
    assert isinstance(found, verify.Found)
    nothing = verify.find_parameters(model, 0, 1, ratio="1.4", length=8)
    assert isinstance(nothing, verify.NotFound)


def test_short_words_teach_about_long_ones() -> None:
    model = coin("1/100 <= p <= 1/2", "2/5 <= q <= 1/2")
    found = verify.find_parameters(model, 0, 1, ratio="1.6", length=16, both_ways=True)
    assert isinstance(found, verify.Found)
    assert all(certificate.lengths.longest == 16 for certificate in found.certificates)
    nothing = verify.find_parameters(
        coin("1/100 <= p <= 1/10", "1/4 <= q <= 1/4"), 0, 1, ratio=3, length=16
    )
    assert isinstance(nothing, verify.NotFound)
    assert min(map(len, nothing.words)) < 16


def test_values_for_words_of_every_length() -> None:
    model = coin("1/100 <= p <= 1/2", "2/5 <= q <= 2/5")
    found = verify.find_parameters(model, 0, 1, ratio="1.6", length=None)
    assert isinstance(found, verify.Found)
    (certificate,) = found.certificates
    assert certificate.lengths.longest is None
    verify.check_certificate(certificate.to_json())


# -------------------------------------------------------------------------------- irrational values


def test_rational_values_are_preferred() -> None:
    # p^3 < 1/2 and p > 0.79: the solver may well answer with a root, and need not.
    model = counts("79/100 < p < 1", "p^3 <= 1/2")
    outcome = verify.for_all_parameters(model, WELL, 2, ratio="0.1", length=1)
    assert isinstance(outcome, verify.ParametersViolated)
    assert outcome.is_exact


def test_a_violation_at_an_irrational_value_only() -> None:
    model = counts("0 < p < 1", "p^2 = 1/2")
    outcome = verify.for_all_parameters(model, ILL, WELL, ratio="1.3", length=1)
    assert isinstance(outcome, verify.ParametersViolated)
    assert not outcome.is_exact
    p = outcome.values["p"]
    assert isinstance(p, verify.AlgebraicNumber)
    assert p.polynomial in ((-1, 0, 2), (1, 0, -2))
    assert outcome.first_probability > outcome.claimed * outcome.second_probability
    assert float(outcome.ratio) > 1.3
    near = Fraction(float(p))
    row = [Fraction(GEOMETRIC[i][int(str(outcome.word[0]))]) for i in range(3)]
    exact = ((1 - near) * row[1] + near * row[2]) / ((1 - near) * row[0] + near * row[1])
    assert float(outcome.ratio) == pytest.approx(float(exact), abs=1e-6)
    # The ratio is at most 2 whatever p is.
    holds(verify.for_all_parameters(model, ILL, WELL, ratio=2, length=1))


def test_irrational_values_are_found_and_checked_word_by_word() -> None:
    # The worst ratio is 2 for every p: the comparison is a tie, and exact.
    model = counts("0 < p < 1", "p^2 = 1/2")
    found = verify.find_parameters(model, ILL, WELL, ratio=2, length=1, both_ways=True)
    assert isinstance(found, verify.Found)
    assert isinstance(found.values["p"], verify.AlgebraicNumber)
    assert found.certificates == ()
    nothing = verify.find_parameters(model, ILL, WELL, ratio="1.99", length=1, both_ways=True)
    assert isinstance(nothing, verify.NotFound)
    many = verify.find_parameters(model, ILL, WELL, ratio=400, length=range(1, 9))
    assert isinstance(many, verify.Undecided)
    assert "irrational" in many.reason


def test_two_irrational_values() -> None:
    model = counts("0 < p < 1", "0 < q < 1", "p^2 = 1/2", "q^2 = 1/3")
    first, second = [0, "1 - q", "q"], ["1 - p", "p", 0]
    found = verify.find_parameters(model, first, second, ratio=4, length=1)
    assert isinstance(found, verify.Found)
    assert found.certificates == ()
    assert all(isinstance(value, verify.AlgebraicNumber) for value in found.values.values())


# ---------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("constraints", "first", "message"),
    [
        (("0 < p < 1",), ["p", "p", 0], "does not sum to 1 at p ="),
        (("0 < p < 1",), ["2*p", "1 - 2*p", 0], "negative entry"),
        (("0 <= p < 1",), ["1/p", "1 - 1/p", 0], r"law 'first' divides by zero at p = 0"),
        (("0 < p < 1",), ["1/(p - 1/2)", 0, "1 - 1/(p - 1/2)"], "divides by zero at p = 1/2"),
        (("-1 < p < 1",), ["1/(1/p)", 0, "1 - 1/(1/p)"], "divides by zero"),
        (("0 < p < 1", "p > 2"), [1, 0, 0], "No values satisfy"),
        (("0 < p < 1", "p^2 < 0"), ["p", "1 - p", 0], "No values satisfy"),
        (("0 <= p < 1", "1/p < 5"), ["p", "1 - p", 0], "constraint divides by zero"),
    ],
)
def test_what_is_no_model_for_some_value_is_refused(
    constraints: tuple[str, ...], first: Any, message: str
) -> None:
    for ask in (verify.for_all_parameters, verify.find_parameters):
        with pytest.raises(ModelError, match=message):
            ask(counts(*constraints), first, 0, ratio=2, length=1)


@pytest.mark.parametrize(
    ("transition", "emission", "message"),
    [
        ([["p", "p"], [0, 1]], [["1/2", "1/2"], [1, 0]], "Row 0 of the transition matrix"),
        ([["1-p", "p"], [0, 1]], [["1/2", "1/2"], ["p", "p"]], "Row 1 of the emission matrix"),
        ([["1-p", "p"], [0, "1/2"]], [["1/2", "1/2"], [1, 0]], "Row 1 .* sums to 1/2"),
        ([["1-p", "p"], [-1, 2]], [["1/2", "1/2"], [1, 0]], "Row 1 .* negative"),
    ],
)
def test_rows_that_are_no_law_are_refused(transition: Any, emission: Any, message: str) -> None:
    model = SymbolicModel(transition, emission, Parameters("0 < p < 1"))
    with pytest.raises(ModelError, match=message):
        verify.for_all_parameters(model, 0, 1, ratio=2, length=2)


def test_rows_may_sum_to_1_by_a_constraint() -> None:
    model = SymbolicModel(
        [["p", "q"], ["q", "p"]],
        [["3/4", "1/4"], ["1/4", "3/4"]],
        Parameters("0 < p < 1", "0 < q < 1", "p + q = 1"),
    )
    holds(verify.for_all_parameters(model, 0, 1, ratio=9, length=2))


def test_a_division_that_the_constraints_allow() -> None:
    model = counts("0 < p < 1", "1/p < 4")
    outcome = verify.for_all_parameters(model, ["1/(4*p)", 0, "1 - 1/(4*p)"], 0, ratio=4, length=1)
    holds(outcome)


def test_a_model_of_numbers_needs_no_parameters() -> None:
    model = HiddenMarkovModel([[1, 0], [0, 1]], [["3/4", "1/4"], ["1/4", "3/4"]])
    holds(verify.for_all_parameters(model, 0, 1, ratio=9, length=2))
    outcome = verify.for_all_parameters(model, 0, 1, ratio="8.99", length=2)
    assert isinstance(outcome, verify.ParametersViolated)
    assert outcome.values == {}
    assert outcome.ratio == 9


def test_no_answer_is_a_yes() -> None:
    model = counts("0 < p < 1")
    for answer in (
        verify.find_parameters(model, ILL, WELL, ratio=2, length=1),
        verify.find_parameters(model, ILL, WELL, ratio="1/2", length=1),
    ):
        with pytest.raises(TypeError):
            bool(answer)
