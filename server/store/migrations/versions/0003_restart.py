"""The restart that players are told of ahead."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table("restart", sa.Column("at_ms", sa.BigInteger, nullable=False))
