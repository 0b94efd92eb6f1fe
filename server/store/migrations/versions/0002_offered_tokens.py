"""Tokens that players were offered in place of the ones they have."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("players", sa.Column("offered_hash", sa.LargeBinary))
    op.create_index("players_by_offer", "players", ["offered_hash"], unique=True)
