"""What `privet account` is given: receipts, a spec file, a framework; read and checked together.

Contract. All releases must be about records of one kind, and the framework must protect at least
what each of their guarantees speaks of. What a user should know is a warning; what would make the
sum wrong is refused. Nothing is charged less than its receipt says.
"""

import json
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.accounting import Lost
from privet.errors import FileFormatError, ModelError, ParameterError, PrivetError
from privet.exact import exact_number, read_delta
from privet.privacy import (
    Framework,
    IndependentRecords,
    MarkovFramework,
    RecordLoss,
    framework_from_json,
)
from privet.releasing.charging import Charge
from privet.releasing.files import receipt_named
from privet.releasing.receipt import SEEDED_BITS, Receipt

if TYPE_CHECKING:
    from privet.cli.account_spec import FrameworkSpec, Spec

_SEVERAL = {"row": "rows", "step": "steps", "value": "values", "choice": "choices"}


@dataclass(frozen=True)
class Entry:
    """A release: what was lost, what it is called, how often it was made and about whom."""

    name: str
    lost: RecordLoss | Lost
    times: int = 1
    person: Hashable | None = None
    charge: Charge | None = None


@dataclass(frozen=True)
class Given:
    """All that the command needs; `warnings` are phrases."""

    framework: Framework
    entries: tuple[Entry, ...]
    budget: Fraction | None
    delta: Fraction
    warnings: tuple[str, ...]


def read_inputs(
    receipts: Sequence[Path],
    spec: Path | None,
    framework: Path | None,
    initial: str | None,
    unit: str | None,
    budget: str | None,
    delta: str | None,
) -> Given:
    """Everything, checked. Errors: ParameterError; FileFormatError, ModelError naming the file."""
    if not receipts and spec is None:
        raise ParameterError(
            "Nothing says what was released.", hint="Name receipts, or a spec file with --spec."
        )
    content = _spec(spec)
    receipts = [receipt_named(path) for path in receipts]
    warnings: list[str] = []
    entries = [_of_receipt(path, warnings) for path in receipts]
    if content is not None and spec is not None:
        entries += _of_spec(spec, content, warnings)
    warnings += _named_twice([*receipts, *_receipts_of(spec, content)])
    charges = {each.name: each.charge for each in entries if each.charge is not None}
    records = {charge.records for charge in charges.values()}
    if len(records) > 1:
        kinds = " and ".join(sorted(_SEVERAL[each] for each in records))
        raise ParameterError(
            f"The receipts are about records of different kinds: {kinds}.",
            hint="What one record loses adds up over releases of the same records only: account "
            "for each kind by itself.",
        )
    chosen = _chosen(framework, initial, unit, spec, content)
    protects = _default(charges) if chosen is None else chosen
    for name, charge in charges.items():
        _check(name, charge, protects)
        if charge.framework not in (None, protects):
            warnings.append(
                f"{name} was released for other chains, or another start, than the framework "
                "given: the epsilon below holds for series as the framework says only"
            )
    return Given(
        protects,
        tuple(entries),
        _amount(budget, None if content is None else content.budget),
        read_delta(_first(delta, None if content is None else content.delta, 0)),
        tuple(warnings),
    )


def _first(*given: Any) -> Any:
    """The first that was given; what is typed comes before what is written."""
    return next((each for each in given if each is not None), None)


def _amount(typed: str | None, written: Any) -> Fraction | None:
    amount = _first(typed, written)
    if amount is None:
        return None
    number = exact_number(amount, "budget")
    if number < 0:
        raise ParameterError("A budget cannot be negative.", parameter="budget")
    return number


def _of_receipt(path: Path, warnings: list[str], times: int = 1, person: Any = None) -> Entry:
    if not path.exists():
        raise FileFormatError(
            f"There is no file {path}.",
            hint="Check the path; one in a spec file is read from the folder of the spec file.",
            path=str(path),
        )
    receipt = Receipt.read(path)
    try:
        charge = Charge.of(receipt)
    except ParameterError as error:
        raise ParameterError(f"{path}: {error.message}", hint=error.hint) from None
    if receipt.randomness == SEEDED_BITS:
        warnings.append(
            f"{path} was drawn from a seeded source: it is not private, whatever its epsilon"
        )
    if "decoded" in receipt.layout:
        warnings.append(
            f"{path} is of decoded words: if the release they were decoded from is counted too, "
            "leave it out, for decoding costs nothing"
        )
    return Entry(str(path), Lost(charge.loss, receipt.responses), times, person, charge)


def _spec(path: Path | None) -> "Spec | None":
    if path is None:
        return None
    from privet.cli.account_spec import read_spec

    return read_spec(path)


def _of_spec(path: Path, content: "Spec", warnings: list[str]) -> list[Entry]:
    from privet.cli.account_spec import loss_in

    entries = []
    for number, release in enumerate(content.releases):
        loss = loss_in(path, number, release)
        if release.times < 0:
            raise ParameterError(
                f"The spec {path} cannot be used: releases[{number}]: times is below 0.",
                path=str(path),
            )
        if loss is None:
            file = path.parent / str(release.receipt)
            entry = _of_receipt(file, warnings, release.times, release.person)
        else:
            name = release.name or f"release {number}"
            entry = Entry(name, loss, release.times, release.person)
        entries.append(entry)
    return entries


def _receipts_of(path: Path | None, content: "Spec | None") -> list[Path]:
    if path is None or content is None:
        return []
    return [path.parent / each.receipt for each in content.releases if each.receipt is not None]


def _named_twice(receipts: Sequence[Path]) -> list[str]:
    """A receipt may be that of two equal releases, or a slip."""
    seen: dict[str, Path] = {}
    notes = []
    for path in receipts:
        text = json.dumps(json.loads(path.read_text(encoding="utf-8")), sort_keys=True)
        if text in seen:
            same = "is named twice" if path == seen[text] else f"is the receipt {seen[text]} again"
            notes.append(f"{path} {same}, and counts each time")
        seen.setdefault(text, path)
    return notes


def _chosen(
    framework: Path | None,
    initial: str | None,
    unit: str | None,
    spec: Path | None,
    content: "Spec | None",
) -> Framework | None:
    """The framework that was asked for on the command line, else in the spec file."""
    if framework is not None and unit is not None:
        raise ParameterError(
            "--framework and --unit are two answers to one question.",
            hint="--unit is for independent records, --framework for series of a chain.",
        )
    if framework is not None:
        return read_framework_file(framework, initial)
    if initial is not None:
        raise ParameterError("--initial needs the chain of --framework.", parameter="initial")
    if unit is not None:
        return IndependentRecords("all" if unit == "all" else _whole(unit))
    if content is None or content.framework is None or spec is None:
        return None
    if isinstance(content.framework, str):
        return read_framework_file(spec.parent / content.framework, None)
    return _written(spec, content.framework)


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ParameterError(
            "--unit is neither a whole number nor all.", hint="For example --unit 1."
        ) from None


def _written(spec: Path, written: "FrameworkSpec") -> Framework:
    from privet.cli.query_options import read_framework

    series = written.chain is not None or written.box is not None
    if (written.unit is not None) == series:
        raise ParameterError(
            f"The spec {spec} cannot be used: framework: it has neither, or both, of a unit and a "
            "chain or box.",
            hint='{"unit": 1} is for independent records, {"chain": FILE} for series.',
            path=str(spec),
        )
    if written.unit is not None:
        return IndependentRecords(written.unit)
    files = [written.chain] if isinstance(written.chain, str) else written.chain or []
    box = None if written.box is None else spec.parent / written.box
    return read_framework([spec.parent / each for each in files], box, written.initial)


def read_framework_file(path: Path, initial: str | None) -> Framework:
    """A framework, a chain or a box of chains. Errors: FileFormatError, ModelError by file."""
    from privet.chains import ChainBox, MarkovChain, read_model
    from privet.chains.json_files import read_json
    from privet.cli.query_options import read_framework

    def unreadable(problem: str) -> FileFormatError:
        return FileFormatError(f"{path}: {problem}.", hint="It must be JSON.", path=str(path))

    content = read_json(path, unreadable)
    kind = content.get("kind") if isinstance(content, dict) else None
    if kind in ("markov-framework", "independent-records"):
        if initial is not None:
            raise ParameterError("The framework of a file has its start.", parameter="initial")
        try:
            return framework_from_json(content)
        except PrivetError as error:
            raise ModelError(f"{path}: {error.message}", hint=error.hint) from None
    model: object = read_model(path)
    if isinstance(model, ChainBox):
        return read_framework(None, path, initial)
    if isinstance(model, MarkovChain):
        return read_framework([path], None, initial)
    raise ModelError(
        f"The model {path} is neither a chain nor a box of chains, which --framework needs.",
        hint='Its "kind" must be "markov-chain", "chain-box" or "markov-framework".',
        path=str(path),
    )


def _default(charges: dict[str, Charge]) -> Framework:
    """What the guarantees of all receipts speak of, if they agree."""
    frameworks = {charge.framework for charge in charges.values() if charge.framework is not None}
    covered = {charge.covered for charge in charges.values()}
    queries = [charge.framework is not None for charge in charges.values()]
    if len(frameworks) == 1 and all(queries):
        return frameworks.pop()
    if frameworks:
        raise ParameterError(
            "The receipts do not agree on how series behave.",
            hint="Say it with --framework: a chain, a box of chains, or a framework.",
        )
    if len(covered) == 1:
        return IndependentRecords(covered.pop())
    raise ParameterError(
        "How many records belong together is not said, or the receipts do not agree on it.",
        hint="Say it with --unit, or give the chain of --framework if the records are steps of a "
        "series that depend on each other.",
    )


def _check(name: str, charge: Charge, framework: Framework) -> None:
    """Refuse a framework that does not protect what the guarantee of a receipt speaks of."""
    problem = hint = ""
    if isinstance(framework, IndependentRecords):
        if charge.framework is not None:
            problem = "its steps depend on each other, and --unit takes records to be independent"
            hint = "Leave --unit out, or give --framework."
        elif framework.unit != "all" and framework.unit < charge.covered:
            several = _SEVERAL[charge.records]
            problem = f"it protects {charge.covered} {several} at once, and --unit says less"
            hint = f"Use --unit {charge.covered} or more."
    elif charge.records != "step":
        problem = f"its records are {_SEVERAL[charge.records]}, not the steps of a series"
        hint = "Use --unit."
    elif charge.covered > 1:
        problem = f"it protects {charge.covered} symbols at once, and a chain one step"
        hint = "Use --unit, or release with --adjacency 1."
    elif not _same_states(charge, framework):
        problem = "its symbols are not the states of the chains"
        hint = "Give the chain of these series."
    if problem:
        raise ParameterError(f"{name} cannot be counted: {problem}.", hint=hint)


def _same_states(charge: Charge, framework: MarkovFramework) -> bool:
    own = charge.framework.alphabet if charge.framework is not None else charge.alphabet
    return own is not None and set(own.symbols) == set(framework.alphabet.symbols)
