"""Frameworks as JSON, for files and stores that outlive the process.

Contract. `framework_from_json` gives back a framework equal to the one that was written. What is
not the description of a framework is a ModelError that names the field, never a guess.
"""

from typing import Any

from privet.chains.naming import check_fields
from privet.errors import ModelError, ParameterError, ParameterTypeError
from privet.privacy.framework import Framework, IndependentRecords, MarkovFramework

INDEPENDENT = "independent-records"


def framework_to_json(framework: Framework) -> dict[str, Any]:
    """{"kind": "independent-records", "unit": 1 or "all"}, or `MarkovFramework.to_json`.

    Errors: ParameterTypeError for what is no framework.
    """
    if isinstance(framework, IndependentRecords):
        return {"kind": INDEPENDENT, "unit": framework.unit}
    if isinstance(framework, MarkovFramework):
        return framework.to_json()
    raise ParameterTypeError(
        f"A {type(framework).__name__} is not a framework.",
        hint="Give IndependentRecords(unit) or MarkovFramework(chains).",
        parameter="framework",
    )


def framework_from_json(data: Any) -> Framework:
    """The inverse of `framework_to_json`. Errors: ModelError naming the field or the row."""
    kind = data.get("kind") if isinstance(data, dict) else None
    if kind == MarkovFramework.kind:
        return MarkovFramework.from_json(data)
    check_fields(data, INDEPENDENT, ("unit",), ())
    try:
        return IndependentRecords(data["unit"])
    except ParameterError as error:
        raise ModelError(
            f"The unit of the description cannot be used. {error.message}", hint=error.hint
        ) from None
