"""What a client may send. Every message is answered by its server with one ``ok`` or ``refused`` (see each class).

Each model is frozen, forbids unknown fields, converts nothing ("1" is no number, true is no 1) and bounds every number
and string. Optional fields may be left out or null. Names and chat are bounded here and made fit to read by
``protocol.names``; what a word such as a preset or level means is for the server to know.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, field_validator, model_validator

from protocol.codes import (
    ENTROPY_MAX_BYTES,
    MAX_INTEGER,
    MAX_ITEMS,
    MAX_WORKER_SLOTS,
    MAX_WORTHS,
    NAME_MAX_CHARS,
    RESUME_MAX_TABLES,
    SAY_MAX_CHARS,
    TOKEN_PATTERN,
    VERSION_MAX_CHARS,
    ClockName,
    SayPreset,
    TableFilter,
    Visibility,
)
from protocol.errors import ProtocolViolationError
from protocol.wording import describe

Ref: TypeAlias = Annotated[int, Field(ge=1, le=MAX_INTEGER)]
"""The client's number of a message, unique for a player; a repeated one is answered again and not done again."""
Seq: TypeAlias = Annotated[int, Field(ge=0, le=MAX_INTEGER)]
SeatNumber: TypeAlias = Annotated[int, Field(ge=0, le=3)]
TableId: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,32}$")]
TableCode: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{1,16}$")]
Token: TypeAlias = Annotated[str, Field(pattern=TOKEN_PATTERN)]
Word: TypeAlias = Annotated[str, Field(pattern=r"^[a-z0-9_]{1,32}$")]
RawName: TypeAlias = Annotated[str, Field(max_length=4 * NAME_MAX_CHARS)]
RuleValue: TypeAlias = Annotated[int, Field(ge=-1000, le=1000)] | bool | Annotated[str, Field(max_length=32)] | None
ActionText: TypeAlias = Annotated[str, Field(max_length=64)]
ActionObject: TypeAlias = Annotated[
    dict[
        Annotated[str, Field(max_length=16)],
        bool | Annotated[int, Field(ge=-1000, le=1000)] | ActionText | None,
    ],
    Field(max_length=8),
]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class _Message(_Strict):
    ref: Ref


class _AtTable(_Message):
    table: TableId


class _ByIdOrCode(_Message):
    table: TableId | None = None
    code: TableCode | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> _ByIdOrCode:
        if (self.table is None) == (self.code is None):
            raise ValueError("give either `table` or `code`")
        return self


class Hello(_Message):
    """Say who is there; the first message of a player's connection. Answered by ``welcome``."""

    t: Literal["hello"]
    version: Annotated[int, Field(ge=0, le=1000)]
    token: Token | None = None
    name: RawName | None = None
    client: Annotated[str, Field(max_length=64)] | None = None
    kind: Literal["human", "bot"] | None = None
    resume: Annotated[dict[TableId, Seq], Field(max_length=RESUME_MAX_TABLES)] | None = None


class Whose(_Message):
    """Ask whose a token is; nobody notices. ``ok`` carries the player."""

    t: Literal["whose"]
    token: Token


class RenewToken(_Message):
    """Ask for another token. ``ok`` carries it; with the first ``hello`` that has it the old one is worthless."""

    t: Literal["renew_token"]


class RegisterBot(_Message):
    """Get an account for a bot of one's own. ``ok`` carries its token, which is told this once."""

    t: Literal["register_bot"]
    name: RawName
    version: Annotated[str, Field(max_length=VERSION_MAX_CHARS)] | None = None


class RevokeBot(_Message):
    """Give a bot of one's own up: its token is worthless from its next connection on. ``ok`` says that it is."""

    t: Literal["revoke_bot"]
    name: RawName


class Bots(_Message):
    """List the bots of one's own whose token stands. ``ok`` carries them."""

    t: Literal["bots"]


class Tables(_Message):
    """List public tables. ``ok`` carries them."""

    t: Literal["tables"]
    filter: TableFilter | None = None


class Create(_Message):
    """Make a table, sit down at seat 0 and be its host. ``ok`` carries its id, code and seat; a ``view`` follows."""

    t: Literal["create"]
    preset: Word
    rules: Annotated[dict[Word, RuleValue], Field(max_length=MAX_ITEMS)] | None = None
    visibility: Visibility
    clock: ClockName
    bots: Word | None = None
    spectators: bool | None = None
    bots_stay: bool | None = None
    name: RawName | None = None
    seed: Annotated[int, Field(ge=0, le=MAX_INTEGER)] | None = None


class Join(_ByIdOrCode):
    """Sit down, at any open seat or a certain one. ``ok`` carries the table and seat; a ``view`` follows."""

    t: Literal["join"]
    seat: SeatNumber | None = None


class Leave(_AtTable):
    """Stand up for good."""

    t: Literal["leave"]


class Watch(_ByIdOrCode):
    """Look on without a seat. ``ok`` carries the table; a watcher's ``view`` follows."""

    t: Literal["watch"]


class Unwatch(_AtTable):
    """Stop looking on."""

    t: Literal["unwatch"]


class Fill(_AtTable):
    """Put a bot in one open seat, or in all of them. The host's."""

    t: Literal["fill"]
    seat: SeatNumber | None = None
    level: Word | None = None


class Start(_AtTable):
    """Start the game, or the next one; open seats get bots. The host's."""

    t: Literal["start"]


class Act(_AtTable):
    """Take the decision ``turn``; ``engine.actions.action_from_plain`` reads ``action``. ``ok`` carries the seq."""

    t: Literal["act"]
    turn: Seq
    action: ActionText | ActionObject


class Away(_AtTable):
    """Let a bot decide for this seat, or take the seat back."""

    t: Literal["away"]
    on: bool


class Entropy(_AtTable):
    """Add to what the next deal is made from, so that nobody else alone decides it. The latest of a seat counts."""

    t: Literal["entropy"]
    text: Annotated[str, Field(max_length=ENTROPY_MAX_BYTES)]

    @field_validator("text")
    @classmethod
    def _bounded_in_bytes(cls, text: str) -> str:
        if len(text.encode()) > ENTROPY_MAX_BYTES:
            raise ValueError(f"at most {ENTROPY_MAX_BYTES} bytes of UTF-8")
        return text


class MoreTime(_AtTable):
    """Give the one who thinks about the decision ``turn`` more time. ``ok`` carries the seq."""

    t: Literal["more_time"]
    turn: Seq


class Game(_AtTable):
    """Ask for the record of a finished game, the latest at the table by default. ``ok`` carries its lines."""

    t: Literal["game"]
    game: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")] | None = None


class Hint(_AtTable):
    """Ask what each legal action is worth; at a table where one practises. ``ok`` carries ``turn`` and ``worths``."""

    t: Literal["hint"]


class Analyse(_AtTable):
    """Ask what one hand of a finished game was worth. ``ok`` carries ``decisions``, ``par`` and ``luck``."""

    t: Literal["analyse"]
    game: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")] | None = None
    hand: Annotated[int, Field(ge=1, le=1000)]


class Games(_Message):
    """List the finished games the player took part in, the latest first. ``ok`` carries a page of them."""

    t: Literal["games"]
    before: Annotated[int, Field(ge=1, le=MAX_INTEGER)] | None = None


class Sync(_AtTable):
    """Ask for what came after ``seq``: events, or a view when they are too old, and the prompt. Follows ``ok``."""

    t: Literal["sync"]
    seq: Seq


class Say(_AtTable):
    """Say something to the table: a text or one of the fixed lines."""

    t: Literal["say"]
    text: Annotated[str, Field(min_length=1, max_length=SAY_MAX_CHARS)] | None = None
    preset: SayPreset | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> Say:
        if (self.text is None) == (self.preset is None):
            raise ValueError("give either `text` or `preset`")
        return self


class Ping(_Message):
    """Ask whether the server is there. Answered by ``pong``."""

    t: Literal["ping"]


class Work(_Message):
    """Offer to answer ``decide``: a bot worker's first message, instead of ``hello``."""

    t: Literal["work"]
    token: Token
    slots: Annotated[int, Field(ge=1, le=MAX_WORKER_SLOTS)]


class Decided(_Strict):
    """A bot worker's answer to ``decide``. Has no ref and is not answered."""

    t: Literal["decided"]
    id: Annotated[int, Field(ge=1, le=MAX_INTEGER)]
    action: ActionText


class Weighing(_Strict):
    """What one action is worth: points for the side that takes it, and their standard error."""

    action: ActionText
    points: Annotated[float, Field(ge=-100, le=100, allow_inf_nan=False)]
    error: Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]


class Weighed(_Strict):
    """A bot worker's answer to ``weigh``. Has no ref and is not answered."""

    t: Literal["weighed"]
    id: Annotated[int, Field(ge=1, le=MAX_INTEGER)]
    worths: Annotated[list[Weighing], Field(max_length=MAX_WORTHS)]


Asking: TypeAlias = (
    Hello | Whose | RenewToken | RegisterBot | RevokeBot | Bots | Tables | Create | Join | Leave | Watch | Unwatch
    | Fill | Start | Act | Away | Entropy | MoreTime | Game | Games | Hint | Analyse | Sync | Say | Ping | Work
)  # fmt: skip
"""What is answered: it has a ref."""
ClientMessage: TypeAlias = Asking | Decided | Weighed

_ADAPTER: Final[TypeAdapter[ClientMessage]] = TypeAdapter(Annotated[ClientMessage, Field(discriminator="t")])
_validate: Final = _ADAPTER.validator.validate_python


def parse_client_message(plain: object) -> ClientMessage:
    """Read one decoded client message.

    Raises ProtocolViolationError with UNKNOWN_MESSAGE when ``t`` names none of ours, else BAD_MESSAGE; its ``detail``
    names the first field at fault and its ``ref`` is the message's own where that is a number we could answer to.
    """
    try:
        message: ClientMessage = _validate(plain)
    except ValidationError as error:
        code, detail = describe(error)
        raise ProtocolViolationError(code, detail, _read_ref(plain)) from None
    return message


def _read_ref(plain: object) -> int | None:
    if not isinstance(plain, dict):
        return None
    ref = plain.get("ref")
    return ref if type(ref) is int and 1 <= ref <= MAX_INTEGER else None
