"""What alembic runs: the revisions, on the connection and in the transaction of the caller."""

from alembic import context

from privet.ledger.models import VERSION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    transactional_ddl=False,
)
context.run_migrations()
