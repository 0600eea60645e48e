"""A ledger of what was spent, which outlives the process."""
