"""Players and finished games."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "players",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("token_hash", sa.LargeBinary, unique=True),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("owner", sa.String),
        sa.Column("version", sa.String),
        sa.Column("made_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("players_by_owner", "players", ["owner"])
    op.create_table(
        "games",
        sa.Column("table_id", sa.String, primary_key=True),
        sa.Column("game", sa.String, primary_key=True),
        sa.Column("visibility", sa.String, nullable=False),
        sa.Column("preset", sa.String, nullable=False),
        sa.Column("players", sa.JSON, nullable=False),
        sa.Column("score", sa.JSON, nullable=False),
        sa.Column("winner", sa.SmallInteger),
        sa.Column("started_ms", sa.BigInteger, nullable=False),
        sa.Column("ended_ms", sa.BigInteger, nullable=False),
        sa.Column("record", sa.Text, nullable=False),
    )
    op.create_index("games_by_name", "games", ["game"])
    op.create_table(
        "sittings",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("player", sa.String, nullable=False),
        sa.Column("table_id", sa.String, nullable=False),
        sa.Column("game", sa.String, nullable=False),
        sa.Column("seat", sa.SmallInteger, nullable=False),
        sa.ForeignKeyConstraint(["table_id", "game"], ["games.table_id", "games.game"]),
    )
    op.create_index("sittings_by_player", "sittings", ["player", "id"])
    op.create_index("sittings_by_game", "sittings", ["table_id", "game"])
