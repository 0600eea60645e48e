"""k-ary randomised response in other libraries, each by the ways in that it has for many values.

    PEERS' PYTHON benchmarks/peers.py ROUTE ROWS REPEATS     prints JSON
    PEERS' PYTHON benchmarks/peers.py                        which versions are there

Contract. A route gets its input in the form it likes best, prepared before the clock starts;
compilation, imports and construction do not count either. A peer is imported only by its own
routes, so one that is missing or broken is reported by itself.
"""

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from measure import EPSILON, KEEP, LABELS, SIZE, cpu_seconds, emit, public_codes
from numpy.typing import NDArray

PACKAGES = ("opendp", "diffprivlib", "multi-freq-ldpy", "trasgodp")

Codes = NDArray[Any]
Prepared = tuple[Callable[[], Any], Any]
"""The call to measure, and its input in the form of its output: what is equal was kept."""

_WARM_UP_ROWS = 1000


@dataclass(frozen=True)
class Route:
    """A way into a peer. `rows` is what takes it a fair part of a second."""

    package: str
    title: str
    rows: int
    randomness: str
    prepare: Callable[[Codes], Prepared]


def _labels(codes: Codes) -> list[str]:
    return [LABELS[code] for code in codes]


def _opendp(categories: list[Any], values: list[Any]) -> Prepared:
    dp = importlib.import_module("opendp.prelude")
    dp.enable_features("contrib")
    measurement = dp.m.make_randomized_response(categories, KEEP)
    return lambda: [measurement(value) for value in values], values


def _opendp_integers(codes: Codes) -> Prepared:
    return _opendp(list(range(SIZE)), codes.tolist())


def _opendp_labels(codes: Codes) -> Prepared:
    return _opendp(list(LABELS), _labels(codes))


def _diffprivlib_categorical(codes: Codes) -> Prepared:
    mechanisms = importlib.import_module("diffprivlib.mechanisms")
    pairs = [(a, b, 1.0) for i, a in enumerate(LABELS) for b in LABELS[i + 1 :]]
    randomise = mechanisms.ExponentialCategorical(epsilon=EPSILON, utility_list=pairs).randomise
    values = _labels(codes)
    return lambda: [randomise(value) for value in values], values


def _diffprivlib_hierarchical(codes: Codes) -> Prepared:
    mechanisms = importlib.import_module("diffprivlib.mechanisms")
    flat = mechanisms.ExponentialHierarchical(epsilon=EPSILON, hierarchy=list(LABELS))
    randomise, values = flat.randomise, _labels(codes)
    return lambda: [randomise(value) for value in values], values


def _ldpy_client() -> Any:
    return importlib.import_module("multi_freq_ldpy.pure_frequency_oracles.GRR").GRR_Client


def _ldpy_values(codes: Codes) -> Prepared:
    client, values = _ldpy_client(), codes.tolist()
    return lambda: [client(value, SIZE, EPSILON) for value in values], values


def _ldpy_compiled(codes: Codes) -> Prepared:
    client, values = _ldpy_client(), codes.astype(np.int64)

    @importlib.import_module("numba").njit  # type: ignore[untyped-decorator]  # not a typed import
    def loop(codes: Codes) -> Codes:
        out = np.empty_like(codes)
        for row in range(len(codes)):
            out[row] = client(codes[row], SIZE, EPSILON)
        return out

    loop(values[:1])
    return lambda: loop(values), values


def _trasgodp_array(symbols: list[Any], codes: Codes) -> Prepared:
    categorical = importlib.import_module("trasgodp.categorical")
    values = np.array(symbols)[codes]
    return lambda: categorical.dp_randomized_response_kary_array(values, EPSILON), values


def _trasgodp_bytes(codes: Codes) -> Prepared:
    return _trasgodp_array([b"a", b"b", b"c", b"d", b"e", b"f", b"g", b"h"], codes)


def _trasgodp_labels(codes: Codes) -> Prepared:
    return _trasgodp_array(list(LABELS), codes)


def _trasgodp_frame(codes: Codes) -> Prepared:
    categorical = importlib.import_module("trasgodp.categorical")
    frame = importlib.import_module("pandas").DataFrame({"answer": _labels(codes)})

    def release() -> Any:
        released = categorical.dp_randomized_response_kary(frame, "answer", EPSILON)
        return released["answer"].to_numpy()

    return release, frame["answer"].to_numpy()


_SYSTEM = "operating system"
_TWISTER = "Mersenne twister"

ROUTES = {
    "opendp-integers": Route(
        "opendp",
        "`make_randomized_response`, integers one by one",
        10_000,
        "cryptographic",
        _opendp_integers,
    ),
    "opendp-labels": Route(
        "opendp",
        "`make_randomized_response`, labels one by one",
        10_000,
        "cryptographic",
        _opendp_labels,
    ),
    "diffprivlib-categorical": Route(
        "diffprivlib",
        "`ExponentialCategorical`, labels one by one",
        100_000,
        _SYSTEM,
        _diffprivlib_categorical,
    ),
    "diffprivlib-hierarchical": Route(
        "diffprivlib",
        "`ExponentialHierarchical`, flat, labels one by one",
        100_000,
        _SYSTEM,
        _diffprivlib_hierarchical,
    ),
    "ldpy-values": Route(
        "multi-freq-ldpy", "`GRR_Client`, integers one by one", 2_000_000, _TWISTER, _ldpy_values
    ),
    "ldpy-compiled": Route(
        "multi-freq-ldpy",
        "`GRR_Client` in a numba loop of one's own (undocumented)",
        5_000_000,
        _TWISTER,
        _ldpy_compiled,
    ),
    "trasgodp-bytes": Route(
        "trasgodp",
        "`dp_randomized_response_kary_array`, labels of one byte",
        10_000_000,
        _TWISTER,
        _trasgodp_bytes,
    ),
    "trasgodp-labels": Route(
        "trasgodp",
        "`dp_randomized_response_kary_array`, labels",
        5_000_000,
        _TWISTER,
        _trasgodp_labels,
    ),
    "trasgodp-frame": Route(
        "trasgodp",
        "`dp_randomized_response_kary`, pandas column",
        1_000_000,
        _TWISTER,
        _trasgodp_frame,
    ),
}


def measure(route: Route, rows: int, repeats: int) -> None:
    """Report the CPU seconds of the route, and the share of values it kept."""
    warm, _ = route.prepare(public_codes(_WARM_UP_ROWS))
    warm()
    call, values = route.prepare(public_codes(rows))
    seconds, released = cpu_seconds(call, repeats)
    kept = float(np.mean(np.asarray(released) == np.asarray(values)))
    emit(rows=rows, seconds=seconds, kept=kept, law=KEEP)


def installed() -> dict[str, str | None]:
    """The version of each peer, None for one that is not there."""
    found: dict[str, str | None] = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found


def main() -> int:
    """Measure the route that was named, or say what is installed."""
    if len(sys.argv) > 1:
        measure(ROUTES[sys.argv[1]], int(sys.argv[2]), int(sys.argv[3]))
        return 0
    found = installed()
    emit(python=sys.version.split()[0], numpy=version("numpy"), peers=found)
    return 1 if None in found.values() else 0


if __name__ == "__main__":
    raise SystemExit(main())
