"""`python -m privet` is the `privet` command."""

from privet.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
