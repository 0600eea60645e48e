"""Randomised response, on one symbol and on every state of a Markov chain.

Contract. On a chain X_0, X_1, ... each state is answered by itself and the answers are observed.
The secrets are "X_i = a" for one node i. Given X_i = a the chain is a Markov chain again, up to i
an inhomogeneous one:

    P(X_t+1 = y | X_t = x, X_i = a) = P(x, y) P^(i-t-1)(y, a) / P^(i-t)(x, a)      for t < i,

so with the states (t, x, a) for t < i and (i, x) from node i on it is one homogeneous hidden Markov
model for all secrets, and each secret is a law of its first state. That is exact for every node,
every start and every word length, longer ones than i + 1 included; it has i m^2 + m states at most.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from privet.chains import HiddenMarkovModel, MarkovChain
from privet.chains.stochastic import Rows, read_stochastic
from privet.errors import ModelError, ParameterError, ParameterTypeError
from privet.exact import exact_number, read_count
from privet.exact.number import Number
from privet.verify.library.models import FiniteModel, Law, SecretModel, read_size

State = tuple[int, ...]
"""(t, x, a) before the node of the secret, (i, x) from it on."""

_FARTHEST_NODE = 1000


def randomized_response(size: int, *, ratio: Number) -> FiniteModel:
    """k-ary randomised response: keep with probability c / (c + size - 1), c = `ratio` >= 1.

    All inputs are neighbours; the ratio is c exactly [holohan-leith-mason-2016].
    """
    count, c = read_size(size, "size", minimum=2), exact_number(ratio, "ratio")
    if c < 1:
        raise ParameterError(
            "ratio must be at least 1.", hint="It is e^epsilon.", parameter="ratio"
        )
    keep, move = c / (c + count - 1), 1 / (c + count - 1)
    codes = tuple(range(count))
    rows = tuple(tuple(keep if i == j else move for j in codes) for i in codes)
    return FiniteModel(rows, codes, codes, tuple(combinations(codes, 2)))


def responses_on_chain(chain: MarkovChain, responses: Rows, *, node: int = 0) -> SecretModel:
    """The answers of every state of `chain`, and the secrets "X_node = a" for each possible a.

    `responses`: (m, outputs) rows, P(answer | state): `randomized_response(m, ratio=c).rows`, say,
    or `RandomizedResponse.exact_response_matrix()`. Secrets bear the names of the states; all pairs
    are asked about. Errors: ModelError if the node can be in one state only.
    """
    if not isinstance(chain, MarkovChain):
        raise ParameterTypeError(
            f"The chain is a {type(chain).__name__}, not a MarkovChain.", parameter="chain"
        )
    table = read_stochastic(responses, "the responses").exact
    if len(table) != len(chain.states):
        raise ModelError(
            f"The responses have {len(table)} rows, and the chain has {len(chain.states)} states."
        )
    place = read_count(node, "node", minimum=0)
    if place > _FARTHEST_NODE:
        raise ParameterError(f"node is above {_FARTHEST_NODE}.", parameter="node")
    unfolded = _Unfolded.of(chain, place)
    secrets = unfolded.secrets()
    if len(secrets) < 2:
        raise ModelError(
            f"Node {place} can be in one state only, so there is nothing to tell apart."
        )
    states, steps = unfolded.reachable(secrets)
    model = HiddenMarkovModel(
        steps,
        [table[state[1]] for state in states],
        states=[unfolded.name(state) for state in states],
        observations=range(len(table[0])),
    )
    named: dict[Hashable, Law] = {
        chain.states[a]: tuple(law.get(state, Fraction(0)) for state in states)
        for a, law in secrets.items()
    }
    return SecretModel(model, named, tuple(combinations(named, 2)))


@dataclass(frozen=True)
class _Unfolded:
    """The chain given the state of node `node`; `hits[k][x][a]` = P^k(x, a), k = 0..node."""

    chain: MarkovChain
    node: int
    hits: tuple[tuple[Law, ...], ...]

    @classmethod
    def of(cls, chain: MarkovChain, node: int) -> "_Unfolded":
        rows, size = chain.exact_transition, range(len(chain.states))
        hits = [tuple(tuple(Fraction(int(x == a)) for a in size) for x in size)]
        for _ in range(node):
            last = hits[-1]
            hits.append(
                tuple(
                    tuple(sum((rows[x][y] * last[y][a] for y in size), Fraction(0)) for a in size)
                    for x in size
                )
            )
        return cls(chain, node, tuple(hits))

    def secrets(self) -> dict[int, dict[State, Fraction]]:
        """a -> law of the first state given X_node = a, for every a that can be."""
        found = {}
        for a in range(len(self.chain.states)):
            joint = {
                self._state(0, x, a): share * self.hits[self.node][x][a]
                for x, share in enumerate(self.chain.exact_initial)
            }
            total = sum(joint.values(), Fraction(0))
            if total:
                found[a] = {state: part / total for state, part in joint.items() if part}
        return found

    def reachable(
        self, secrets: dict[int, dict[State, Fraction]]
    ) -> tuple[list[State], list[list[Fraction]]]:
        """The states that some secret leads to, in order, and their transition matrix."""
        pending = [state for law in secrets.values() for state in law]
        moves: dict[State, dict[State, Fraction]] = {}
        while pending:
            state = pending.pop()
            if state not in moves:
                moves[state] = self._moves(state)
                pending += moves[state]
        states = sorted(moves)
        return states, [[moves[s].get(t, Fraction(0)) for t in states] for s in states]

    def name(self, state: State) -> Hashable:
        """Text, which certificates can hold; the state of the chain itself if node is 0."""
        labels = [self.chain.states[code] for code in state[1:]]
        if self.node == 0:
            return labels[0]
        return f"{state[0]}: " + " | ".join(map(repr, labels))

    def _state(self, t: int, x: int, a: int) -> State:
        return (t, x, a) if t < self.node else (self.node, x)

    def _moves(self, state: State) -> dict[State, Fraction]:
        row = self.chain.exact_transition[state[1]]
        if len(state) == 2:
            return {(self.node, y): share for y, share in enumerate(row) if share}
        t, x, a = state
        left = self.node - t
        whole, rest = self.hits[left][x][a], self.hits[left - 1]
        return {
            self._state(t + 1, y, a): share * rest[y][a] / whole
            for y, share in enumerate(row)
            if share * rest[y][a]
        }
