"""A process of its own in which z3 runs: requests come in and answers go out, one JSON line each.

Contract. This file is run as a script by `privet.verify.smt.solver`, and imports nothing of Privet:
a solver that crashes, hangs or eats its memory ends this process, not the user's. What z3 gives is
turned into text here, for z3 ships no types; whatever goes wrong is answered as "unknown" with the
reason, never as a verdict.

Request: {"script", "logic" (or null), "names", "milliseconds" (or null), "megabytes"}. Answer:
{"verdict": "sat" | "unsat" | "unknown", "reason", "version", "values": {name: number}}, a number
being "a/b", or {"polynomial": [text, lowest power first], "low": "a/b", "high": "a/b"}.
"""

import json
import sys
from typing import Any

_DIGITS = 30


def main() -> None:
    """Answer until the requests end."""
    import z3

    # Exact numbers may be long.
    sys.set_int_max_str_digits(0)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = _answer(z3, request)
        except (z3.Z3Exception, MemoryError) as error:
            answer = {"verdict": "unknown", "reason": f"z3: {_first_line(error)}", "values": {}}
        answer["version"] = z3.get_version_string()
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _answer(z3: Any, request: dict[str, Any]) -> dict[str, Any]:
    z3.set_param("memory_max_size", int(request["megabytes"]))
    solver = z3.SolverFor(request["logic"]) if request["logic"] else z3.Solver()
    if request["milliseconds"] is not None:
        solver.set("timeout", int(request["milliseconds"]))
    solver.from_string(request["script"])
    verdict = str(solver.check())
    reason = solver.reason_unknown() if verdict == "unknown" else ""
    values = {}
    if verdict == "sat":
        model = solver.model()
        for name in request["names"]:
            values[name] = _number(z3, model.eval(z3.Real(name), model_completion=True))
    return {"verdict": verdict, "reason": reason, "values": values}


def _number(z3: Any, value: Any) -> Any:
    if z3.is_rational_value(value):
        return _fraction(value)
    if z3.is_algebraic_value(value):
        coefficients = [_fraction(entry) for entry in value.poly()]
        # Both bounds lie within 10^-digits of the number, and include it.
        low, high = _bounds(z3, value)
        return {"polynomial": coefficients, "low": low, "high": high}
    raise z3.Z3Exception("a value of the model is no number")


def _bounds(z3: Any, value: Any) -> tuple[str, str]:
    context, term = value.ctx_ref(), value.as_ast()
    bounds = (
        z3.RatNumRef(get(context, term, _DIGITS), value.ctx)
        for get in (z3.Z3_get_algebraic_number_lower, z3.Z3_get_algebraic_number_upper)
    )
    low, high = map(_fraction, bounds)
    return low, high


def _fraction(value: Any) -> str:
    return f"{value.numerator_as_long()}/{value.denominator_as_long()}"


def _first_line(error: BaseException) -> str:
    text = error.args[0] if error.args else ""
    text = text.decode(errors="replace") if isinstance(text, bytes) else str(text)
    return (text.strip().splitlines() or [type(error).__name__])[0][:200]


if __name__ == "__main__":
    main()
