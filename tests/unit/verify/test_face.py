"""The names of `privet.verify`: all there, and each in any order of first use."""

import subprocess
import sys

from privet import verify


def test_every_name_is_there() -> None:
    assert [name for name in verify.__all__ if not hasattr(verify, name)] == []
    assert {*verify.__all__} <= {*dir(verify)}
    assert not hasattr(verify, "nothing")


def test_a_function_named_as_its_module_stays_the_function() -> None:
    code = (
        "from privet import verify; verify.Audit; verify.read_verification; verify.audit.__call__"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
