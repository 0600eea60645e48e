"""Other solvers asked in SMT-LIB, the language they share: what they say of a text."""

import cvc5
import z3


def ask_z3(text: str) -> str:
    """One of sat, unsat and unknown."""
    solver = z3.Solver()
    solver.set("timeout", 20_000)
    solver.from_string(text)
    return str(solver.check())


def ask_cvc5(text: str) -> str:
    """All that the commands of the text print."""
    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    solver.setOption("tlimit-per", "20000")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "text")
    said = ""
    while not (command := parser.nextCommand()).isNull():
        said += command.invoke(solver, parser.getSymbolManager())
    return said.strip()
