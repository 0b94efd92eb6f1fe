"""The tables of the store as they are after the latest migration (server/store/migrations/versions)."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
)

METADATA: Final = MetaData()
VERSION_TABLE: Final = "euchre_version"
"""Where alembic keeps the version of the schema; no other program's database has one."""

# `token_hash` is NULL when the token was revoked. `offered_hash` is that of the token which takes its place once its
# player comes with it. `owner` and `version` are those of bots.
PLAYERS: Final = Table(
    "players",
    METADATA,
    Column("id", String, primary_key=True),
    Column("token_hash", LargeBinary, unique=True),
    Column("name", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("owner", String),
    Column("version", String),
    Column("made_ms", BigInteger, nullable=False),
    Column("offered_hash", LargeBinary),
    Index("players_by_owner", "owner"),
    Index("players_by_offer", "offered_hash", unique=True),
)

# When the server is to restart, as players are told; one row at most.
RESTART: Final = Table("restart", METADATA, Column("at_ms", BigInteger, nullable=False))

# One row a finished game. Games dealt from a seed have the same name at every table that chose it, so the table is part
# of the key. `players` has who sat where at the start, as in the record's first line; `record` is the text of euchre/1.
GAMES: Final = Table(
    "games",
    METADATA,
    Column("table_id", String, primary_key=True),
    Column("game", String, primary_key=True),
    Column("visibility", String, nullable=False),
    Column("preset", String, nullable=False),
    Column("players", JSON, nullable=False),
    Column("score", JSON, nullable=False),
    Column("winner", SmallInteger),
    Column("started_ms", BigInteger, nullable=False),
    Column("ended_ms", BigInteger, nullable=False),
    Column("record", Text, nullable=False),
    Index("games_by_name", "game"),
)

# Who took part in a game from which seat, be it for a part of it. `id` orders them as they were archived.
SITTINGS: Final = Table(
    "sittings",
    METADATA,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("player", String, nullable=False),
    Column("table_id", String, nullable=False),
    Column("game", String, nullable=False),
    Column("seat", SmallInteger, nullable=False),
    ForeignKeyConstraint(["table_id", "game"], ["games.table_id", "games.game"]),
    Index("sittings_by_player", "player", "id"),
    Index("sittings_by_game", "table_id", "game"),
)
