"""The tables of a ledger, as the newest migration leaves them (a test compares the two).

Contract. Names begin with "privet_", for a database may hold other things. The entries only grow;
they are linked by their hashes. The head is one row, which says where the entries end; who writes
locks it first. Receipts are texts whose hashes stand in entries. Checkpoints are running totals
whose hashes stand in entries: they may be dropped and nothing is lost. Amounts, times and JSON are
text, so no database rounds or reorders them.
"""

from sqlalchemy import CheckConstraint, Column, Index, Integer, MetaData, String, Table, Text

metadata = MetaData()

VERSION_TABLE = "privet_schema"
"""Where alembic keeps the number of the schema."""

entries = Table(
    "privet_entries",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("account", String(200), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("reservation", String(32)),
    Column("time", String(40), nullable=False),
    Column("who", String(200), nullable=False),
    Column("body", Text, nullable=False),
    Column("previous", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
    Index("privet_entries_by_account", "account", "number"),
    Index("privet_entries_by_reservation", "reservation", "number"),
)

head = Table(
    "privet_head",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("count", Integer, nullable=False),
    Column("hash", String(64), nullable=False),
    CheckConstraint("id = 1", name="privet_one_head"),
)

receipts = Table(
    "privet_receipts",
    metadata,
    Column("reservation", String(32), primary_key=True),
    Column("content", Text, nullable=False),
)

checkpoints = Table(
    "privet_checkpoints",
    metadata,
    Column("account", String(200), primary_key=True),
    Column("number", Integer, nullable=False),
    Column("content", Text, nullable=False),
)
