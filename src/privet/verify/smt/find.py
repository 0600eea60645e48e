"""Values of the parameters for which the claim holds of every word: guess, check, learn from words.

Contract. The solver proposes values at which no word known so far is above the ratio; the exact
engine looks for one that is; its word joins the known ones, until there is none (Found, with the
exact engine's own certificates) or no values are left (NotFound, by the solver's word). Few words
are all known from the start. Irrational values that no fraction beside them can replace are checked
word by word in exact algebraic arithmetic. Whatever is cut short is Undecided.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from privet.errors import ModelError, UndecidedError
from privet.exact import read_count
from privet.verify.certificate import ModelCertificate
from privet.verify.outcome import Undecided, Violated
from privet.verify.problem import Length, Secret, Threshold, read_length, read_limits
from privet.verify.question import Question
from privet.verify.smt.admission import admit
from privet.verify.smt.algebraic import Field, Real
from privet.verify.smt.answers import Found, NotFound, Search, SolverCertificate
from privet.verify.smt.claims import Claim, read_claim
from privet.verify.smt.decide import TIME_LIMIT, undecided
from privet.verify.smt.encodings import (
    Shared,
    difference,
    domain,
    parameter,
    plus,
    scaled,
    step,
)
from privet.verify.smt.expressions import value_of
from privet.verify.smt.recheck import (
    chance,
    check_at,
    question_at,
    rational,
    rationalised,
    values_of,
)
from privet.verify.smt.solver import MEMORY_LIMIT, Query, Solver, Unknown, Unsatisfiable
from privet.verify.smt.symbols import Entry, SymbolicModel
from privet.weighted import Clock, Lengths, Limits

NODE_LIMIT = 100_000
_FEW_WORDS = 32
_MOST_ALGEBRAIC_WORDS = 2000
Words = dict[tuple[int, tuple[int, ...]], None]
"""(which claim, codes), in the order in which they became known."""


def find_parameters(
    model: SymbolicModel,
    first: Secret,
    second: Secret,
    *,
    ratio: Entry,
    length: Length,
    both_ways: bool = False,
    time_limit: float | None = TIME_LIMIT,
    node_limit: int = NODE_LIMIT,
    memory_limit: int = MEMORY_LIMIT,
) -> Search:
    """Values, allowed by the constraints, at which no word is above the ratio.

    Arguments as for `for_all_parameters`; `length` may be None for words of every length;
    `both_ways`: the claim with the secrets exchanged must hold too; `node_limit`: of the exact
    engine. Returns Found, NotFound (there are none, says the solver) or Undecided. Errors: as
    `for_all_parameters`.
    """
    lengths = read_length(length)
    claim = read_claim(model, first, second, ratio, lengths.longest or lengths.shortest)
    claims = [claim]
    if both_ways:
        claims.append(replace(claim, first=claim.second, second=claim.first))
    clock = Clock(read_limits(time_limit, node_limit))
    with Solver(clock, read_count(memory_limit, "memory_limit")) as solver:
        try:
            reason = admit(claim, solver)
            return undecided(reason) if reason else _Hunt(claims, lengths, solver).run()
        except KeyboardInterrupt:
            return undecided("interrupted")


class _Hunt:
    """The words known so far, and the loop."""

    def __init__(self, claims: Sequence[Claim], lengths: Lengths, solver: Solver) -> None:
        # What holds of the longest words holds of shorter ones.
        self._claims, self._lengths = claims, Lengths(1, lengths.longest)
        self._solver = solver
        self._model = claims[0].model
        self._words: Words = {}
        longest = lengths.longest
        self._knows_all = (
            longest is not None and len(self._model.observations) ** longest <= _FEW_WORDS
        )
        if longest is not None and self._knows_all:
            self._words.update(dict.fromkeys(self._all_words(longest)))

    def _all_words(self, length: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        codes = range(len(self._model.observations))
        for number in range(len(self._claims)):
            for word in product(codes, repeat=length):
                yield number, word

    def run(self) -> Search:
        """Round after round: each ends, or knows one word more."""
        while True:
            asked = self._query()
            verdict = self._solver.ask(asked)
            if isinstance(verdict, Unknown):
                return undecided(verdict.reason)
            if isinstance(verdict, Unsatisfiable):
                return self._not_found(asked, verdict)
            names = self._model.parameters.names
            found = rationalised(self._solver, asked, verdict.values, names)
            try:
                answer = self._check(values_of(self._claims[0], found))
            except (ModelError, UndecidedError):
                return undecided("the solver's values do not stand the exact check")
            if not isinstance(answer, tuple):
                return answer
            if self._knows_all or answer in self._words:
                return undecided("the solver's values do not stand the exact check")
            self._words[answer] = None

    def _query(self) -> Query:
        """The constraints, and one inequality for each known word."""
        shared = Shared("entry")
        rows, seen = shared.matrix(self._model.transition), shared.matrix(self._model.emission)
        starts = [[shared.term(entry) for entry in difference(claim)] for claim in self._claims]
        lines = []
        for number, (which, codes) in enumerate(self._words):
            vector = starts[which]
            for place, code in enumerate(codes):
                if place:
                    name = f"vector.{number}.{place - 1}"
                    lines += [
                        f"(define-fun {name}.{s} () Real {value})" for s, value in enumerate(vector)
                    ]
                    vector = [step([row[s] for row in rows], name) for s in range(len(rows))]
                vector = [scaled(seen[s][code], value) for s, value in enumerate(vector)]
            lines.append(f"(assert (<= {plus(vector)} 0.0))")
        parameters = self._model.parameters
        script = "\n".join([*domain(parameters), *shared.lines, *lines])
        return Query(script, tuple(map(parameter, parameters.names)))

    def _check(self, values: dict[str, Real]) -> Search | tuple[int, tuple[int, ...]]:
        """Found, Undecided, or a word that is above the ratio. Errors: ModelError."""
        exact = rational(values)
        if exact is None:
            return self._check_irrational(values)
        certificates = []
        for number, claim in enumerate(self._claims):
            ratio = value_of(claim.ratio, exact)
            question, threshold = question_at(claim, exact, self._lengths), Threshold(ratio, ratio)
            outcome = question.decide(threshold, self._limits())
            if isinstance(outcome, Undecided):
                return outcome
            if isinstance(outcome, Violated):
                shortest = self._shortest(question, threshold, outcome)
                observed = self._model.observed
                return number, tuple(int(observed.index(symbol)) for symbol in shortest.word)
            if isinstance(outcome.certificate, ModelCertificate):
                certificates.append(outcome.certificate)
        return Found(values, tuple(certificates))

    def _shortest(self, question: Question, threshold: Threshold, found: Violated) -> Violated:
        """A word above the ratio with as few symbols as any has: bisection, for longer is easier.

        What a short word teaches is a polynomial of low degree.
        """
        too_short, best = 0, found
        while len(best.word) - too_short > 1:
            middle = (too_short + len(best.word)) // 2
            outcome = question.at(Lengths(middle, middle)).decide(threshold, self._limits())
            if isinstance(outcome, Violated):
                best = outcome
            else:
                too_short = middle
        return best

    def _limits(self) -> Limits:
        return self._solver.clock.part(1.0).limits

    def _check_irrational(self, values: dict[str, Real]) -> Search | tuple[int, tuple[int, ...]]:
        longest = self._lengths.longest
        words = None if longest is None else len(self._model.observations) ** longest
        if longest is None or words is None or words > _MOST_ALGEBRAIC_WORDS:
            return undecided("only irrational values were found, and there are too many words")
        field = Field(values)
        check_at(self._claims[0], field)
        for number, codes in self._all_words(longest):
            claim = self._claims[number]
            over, under = (chance(claim, field, law, codes) for law in (claim.first, claim.second))
            if (over - field.element(claim.ratio) * under).sign() > 0:
                return number, codes
        return Found(values, ())

    def _not_found(self, asked: Query, verdict: Unsatisfiable) -> NotFound:
        text = f"(set-logic QF_NRA)\n{asked.script}\n(check-sat)\n"
        words = tuple(
            tuple(self._model.observations[code] for code in codes) for _, codes in self._words
        )
        lengths = {len(codes) for _, codes in self._words}
        length = lengths.pop() if len(lengths) == 1 else None
        return NotFound(
            words, SolverCertificate("z3", verdict.version, "word by word", length, text)
        )
