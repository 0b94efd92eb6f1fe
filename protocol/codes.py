"""Refusal codes, close codes, limits and fixed words of the wire. PROTOCOL.md explains what a client does on each."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import Final, Literal, TypeAlias

PROTOCOL_VERSION: Final = 1

SUBPROTOCOL_MSGPACK: Final = "euchre.v1.msgpack"
SUBPROTOCOL_JSON: Final = "euchre.v1.json"

# ── limits ───────────────────────────────────────────────────────────────────────────────────────────────────────────

MAX_FRAME_BYTES: Final = 8192
"""Of a client's frame; a larger one closes the connection with 1009 before it is read."""
MAX_SERVER_FRAME_BYTES: Final = 1 << 20
"""Of a server's frame, for clients that bound what they read."""
MAX_DEPTH: Final = 16
"""Objects and arrays inside one another, in a client's frame."""
MAX_ITEMS: Final = 64
"""Fields of one object, or items of one array, in a client's frame."""
MAX_INTEGER: Final = 2**53 - 1
"""What every language holds exactly. The limit of refs, seqs, turns, ids and seeds."""
TOKEN_PATTERN: Final = r"^[A-Za-z0-9._~-]{1,128}$"
TOKEN_IN_WORDS: Final = "up to 128 letters, digits and any of -._~"
NAME_MAX_CHARS: Final = 24
VERSION_MAX_CHARS: Final = 32
OWNER_MAX_CHARS: Final = 96
SAY_MAX_CHARS: Final = 200
RESUME_MAX_TABLES: Final = 32
ENTROPY_MAX_BYTES: Final = 64
HELLO_TIMEOUT_S: Final = 5
MALFORMED_LIMIT: Final = 20
"""Messages of one connection refused with BAD_MESSAGE or UNKNOWN_MESSAGE before it is closed with 4003."""
MAX_WORKER_SLOTS: Final = 64
MAX_WORTHS: Final = 64
"""Actions a worker weighs at a time; no decision has more."""

# ── fixed words ──────────────────────────────────────────────────────────────────────────────────────────────────────

TableFilter: TypeAlias = Literal["open", "playing", "all"]
Visibility: TypeAlias = Literal["public", "private"]
ClockName: TypeAlias = Literal["normal", "slow", "fast", "none"]
SayPreset: TypeAlias = Literal["hello", "good_game", "nice", "well_played", "thanks", "sorry", "oops", "one_moment"]
SAY_PRESETS: Final[dict[SayPreset, str]] = {
    "hello": "Hello!",
    "good_game": "Good game!",
    "nice": "Nice!",
    "well_played": "Well played!",
    "thanks": "Thanks!",
    "sorry": "Sorry!",
    "oops": "Oops!",
    "one_moment": "One moment, please.",
}
"""What may be said with one key, and how it reads in English."""


class RefusalCode(StrEnum):
    """Why a message is refused, beside the engine's own ``engine.errors.Code``, which passes through as it is."""

    # the wire
    BAD_MESSAGE = "bad_message"
    UNKNOWN_MESSAGE = "unknown_message"
    HELLO_FIRST = "hello_first"
    ALREADY_GREETED = "already_greeted"
    BAD_VERSION = "bad_version"
    BAD_TOKEN = "bad_token"
    BOT_NEEDS_TOKEN = "bot_needs_token"
    TOO_MANY_BOTS = "too_many_bots"
    NO_SUCH_BOT = "no_such_bot"
    NOT_FOR_BOTS = "not_for_bots"
    RATE_LIMITED = "rate_limited"
    # tables
    NO_SUCH_TABLE = "no_such_table"
    TABLE_FULL = "table_full"
    SEAT_TAKEN = "seat_taken"
    BOTS_STAY = "bots_stay"
    ALREADY_SEATED = "already_seated"
    NOT_SEATED = "not_seated"
    NOT_HOST = "not_host"
    NOT_PLAYING = "not_playing"
    ALREADY_PLAYING = "already_playing"
    NOT_FINISHED = "not_finished"
    HANDS_HIDDEN = "hands_hidden"
    BAD_RULES = "bad_rules"
    NO_SPECTATORS = "no_spectators"
    TOO_MANY_TABLES = "too_many_tables"
    TABLE_CLOSED = "table_closed"
    DRAINING = "draining"
    UNKNOWN_LEVEL = "unknown_level"
    BAD_NAME = "bad_name"
    NOTHING_TO_DO = "nothing_to_do"
    NO_HINTS = "no_hints"
    NO_WORKER = "no_worker"
    OWN_CLOCK = "own_clock"
    NO_CLOCK = "no_clock"
    ENOUGH_TIME = "enough_time"
    # the game
    STALE = "stale"
    REF_REUSED = "ref_reused"
    DEGRADED = "degraded"


class CloseCode(IntEnum):
    """Why a connection is closed. Each has one meaning; ``protocol.reconnect`` has what a client does on it."""

    NORMAL = 1000
    GOING_AWAY = 1001
    FRAME_TOO_BIG = 1009
    INTERNAL_ERROR = 1011
    REPLACED = 4001
    TOKEN_REFUSED = 4002
    PROTOCOL_VIOLATION = 4003
    TOO_SLOW = 4008
    RATE_LIMIT = 4009
    TOKEN_RENEWED = 4010
    DRAINING = 4011
