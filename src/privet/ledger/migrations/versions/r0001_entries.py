"""Linked entries, the head that says where they end, and the receipts."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables of an empty ledger."""
    op.create_table(
        "privet_entries",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("account", sa.String(200), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("reservation", sa.String(32)),
        sa.Column("time", sa.String(40), nullable=False),
        sa.Column("who", sa.String(200), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("previous", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
    )
    op.create_index("privet_entries_by_account", "privet_entries", ["account", "number"])
    op.create_index("privet_entries_by_reservation", "privet_entries", ["reservation", "number"])
    head = op.create_table(
        "privet_head",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.CheckConstraint("id = 1", name="privet_one_head"),
    )
    op.bulk_insert(head, [{"id": 1, "count": 0, "hash": "0" * 64}])
    op.create_table(
        "privet_receipts",
        sa.Column("reservation", sa.String(32), primary_key=True),
        sa.Column("content", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Take the ledger away."""
    for table in ("receipts", "head", "entries"):
        op.drop_table(f"privet_{table}")
