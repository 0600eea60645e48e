"""The schemas of what the commands print with --json, of errors, and of receipts.

Contract. One schema a command, named by its path with hyphens ("verify-model"), made from the
classes here and published as docs/schemas/outputs/NAME.json (JSON Schema, draft 2020-12). Objects
have no fields that their schema does not name. The commands do not use the classes: tests hold
every command to its schema. One thing has one name in all of them, and one form, but for
`SEVERAL_MEANINGS`. Loads pydantic, so nothing that runs imports it.
"""

import json
from typing import Any

from pydantic import TypeAdapter

from privet.cli.outputs.base import Schemas
from privet.cli.outputs.estimates import Estimates, Fit
from privet.cli.outputs.others import Demo, Failure, Report
from privet.cli.outputs.plans import Plans
from privet.cli.outputs.receipts import MadeAnswer, MadeRelease, Receipt
from privet.cli.outputs.spending import Account, Accounted, Exported, LedgerShown, Verified
from privet.cli.outputs.verdicts import CertificateChecked, MechanismVerdict, Modelled, Modelling

COMMANDS: dict[str, Any] = {
    "demo": Demo,
    "plan": Plans,
    "release-table": MadeRelease,
    "release-words": MadeRelease,
    "release-query": MadeAnswer,
    "estimate": Estimates,
    "decode": MadeRelease,
    "account": Accounted,
    "fit": Fit,
    "ledger-init": Account,
    "ledger-budget": Account,
    "ledger-show": LedgerShown,
    "ledger-verify": Verified,
    "ledger-export": Exported,
    "ledger-void": Account,
    "report": Report,
    "verify-model": Modelled,
    "verify-mechanism": MechanismVerdict,
    "verify-certificate": CertificateChecked,
    "verify-library": Modelling,
}
"""The class of what each command prints when it has an answer."""

OTHERS: dict[str, Any] = {"error": Failure, "receipt": Receipt}
"""What every command prints when it has none; the file beside a release."""

SEVERAL_MEANINGS = {
    "chain": "in a plan a chain, in an explanation which one, by number",
    "delta": "in a verdict it is a claim, text as it was written",
    "epsilon": "in a verdict it is a claim, text as it was written",
    "length": "in a verdict it may be a range, or all lengths",
    "projected": "of a cell a number, of an estimate the array of them",
    "state": "of an answer a symbol, in a history what became of a release",
    "states": "of an answer in words, in an explanation two symbols",
}
"""Names that have two forms in what commands print, and why.

Receipts, rows of a ledger and models are files with forms of their own, which stay as they are.
"""

OUTPUTS: dict[str, Any] = {**COMMANDS, **OTHERS}

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def output_schema(name: str) -> dict[str, Any]:
    """The JSON Schema of that name, with the address of its dialect. Errors: KeyError."""
    made = TypeAdapter(OUTPUTS[name]).json_schema(by_alias=True, schema_generator=Schemas)
    title = "A receipt" if name == "receipt" else f"privet {name.replace('-', ' ')} --json"
    return {"$schema": _DIALECT, **made, "title": "An error" if name == "error" else title}


def schema_files() -> dict[str, str]:
    """{NAME.json: its text}, what docs/schemas/outputs holds."""
    return {
        f"{name}.json": json.dumps(
            output_schema(name), indent=1, sort_keys=True, ensure_ascii=False
        )
        + "\n"
        for name in OUTPUTS
    }
