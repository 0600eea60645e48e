"""How the schema of a ledger came to be, revision by revision, for alembic."""
