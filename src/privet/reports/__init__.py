"""Pictures and pages about releases."""
