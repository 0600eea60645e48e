"""Running totals, so that opening an account does not read all that was ever spent on it."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make room for totals; they are written as releases come in."""
    op.create_table(
        "privet_checkpoints",
        sa.Column("account", sa.String(200), primary_key=True),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Drop the totals: the entries say everything, and are read from the first one on again."""
    op.drop_table("privet_checkpoints")
