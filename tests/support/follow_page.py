"""Follows a page: runs its Python and shell blocks in the order they stand, in the current folder.

    python -W error tests/support/follow_page.py docs/ledger.md

Python blocks share one namespace, that of a `__main__` of their own, and tracebacks show the lines
of the page. A shell block is a shell of its own that stops at the first command that fails. A line
of BREAK follows what each block printed. The first block that fails ends it.
"""

import subprocess
import sys
import types

from pages import BREAK, Block, Page


def follow(page: Page) -> None:
    """Run every block; raises what a block raises."""
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main  # what is pickled by name is found here
    for block in page.run_blocks():
        if block.language == "python":
            # As many empty lines as stand before it in the page, for the lines of tracebacks.
            code = "\n" * (block.line - 1) + block.text
            exec(compile(code, page.place, "exec"), main.__dict__)
        else:
            shell(page, block)
        sys.stdout.write(f"{BREAK}\n")
        sys.stdout.flush()


def shell(page: Page, block: Block) -> None:
    """Run a shell block; a failure ends the process and names the place."""
    sys.stdout.flush()
    done = subprocess.run(["sh", "-e", "-c", block.text], check=False)
    if done.returncode:
        sys.exit(f"{page.path}, line {block.line}: exit {done.returncode} from\n{block.text}")


if __name__ == "__main__":
    sys.path[0] = ""  # as for `python -c`: the folder where the page is followed
    follow(Page(sys.argv[1]))
