"""Pictures and pages about releases, ledgers and verdicts."""

from privet.reports.making import report

__all__ = ["report"]
