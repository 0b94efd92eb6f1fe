"""The client's half of a connection, without the connection: refs, resume, gaps, and what to send again.

    session = ClientSession(name="Ann")
    on every new connection:      session.hello()
    on every message of a frame:  for update in session.receive(message): show(update)
    after either of these, and after any command:  for message in session.take_outbox(): send(codec.encode(message))

A command stays outstanding until it is answered, and goes out again, with the same ref, after the next welcome: the
server answers it again and does not do it again. Chat is the exception, because nobody could tell whether it was heard.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, assert_never

from engine.actions import Action
from protocol.codes import (
    PROTOCOL_VERSION,
    RESUME_MAX_TABLES,
    ClockName,
    CloseCode,
    SayPreset,
    TableFilter,
    Visibility,
)
from protocol.errors import ProtocolViolationError
from protocol.follower import TableFollower
from protocol.incoming import parse_server_message
from protocol.outgoing import (
    EventMessage,
    Notice,
    Ok,
    PlayerInfo,
    PlayerKind,
    Pong,
    Presence,
    Prompt,
    Refused,
    ServerMessage,
    ViewMessage,
    Welcome,
)
from protocol.table_events import TableClosed, Unseated, with_presence
from protocol.updates import (
    Answered,
    Chatted,
    EventsArrived,
    Noticed,
    PresenceChanged,
    PromptArrived,
    TableGone,
    Update,
    ViewArrived,
    Welcomed,
)

Message = dict[str, Any]

_NOT_SENT_AGAIN: Final = frozenset({"hello", "sync", "ping", "say"})
"""Answered by what follows the welcome, of the lost connection alone, or (chat) in no log where it could be found."""


class ClientSession:
    """What one player knows and waits for, over any number of connections.

    ``tables`` are the tables sat at or watched, by id. ``token`` is a secret that makes whoever holds it this player.
    ``drain_retry_ms`` is what the last ``drain`` notice asked to wait, for `protocol.reconnect.advice_for_close`.
    """

    def __init__(
        self,
        *,
        name: str | None = None,
        token: str | None = None,
        client: str | None = None,
        kind: PlayerKind | None = None,
    ) -> None:
        self.name = name
        self.kind = kind
        self.token = token
        self.client = client
        self.player: PlayerInfo | None = None
        self.is_welcome = False
        self.next_ref = 1
        self.tables: dict[str, TableFollower] = {}
        self.outstanding: dict[int, Message] = {}
        self.outbox: list[Message] = []
        self.drain_retry_ms: int | None = None
        self._watching: dict[str, Message] = {}
        self._syncing: set[str] = set()
        self._resuming: set[str] = set()
        """Tables that nothing was heard of since the welcome but what they were put right by."""

    # ── the connection ───────────────────────────────────────────────────────────────────────────────────────────────

    def hello(self) -> Message:
        """Begin a connection: queue ``hello``, which asks for all we missed at the tables we sit at."""
        self.is_welcome = False
        self.drain_retry_ms = None
        self._syncing.clear()
        self.outbox.clear()
        self.outstanding = {
            ref: message for ref, message in self.outstanding.items() if message["t"] not in _NOT_SENT_AGAIN
        }
        seated = [follower for follower in self.tables.values() if follower.seat is not None]
        cursors = {follower.table: follower.seq for follower in seated if follower.seq is not None}
        message = self._numbered(
            "hello",
            version=PROTOCOL_VERSION,
            token=self.token,
            name=self.name,
            client=self.client,
            kind=self.kind,
            resume=dict(list(cursors.items())[-RESUME_MAX_TABLES:]) or None,
        )
        self.outstanding[message["ref"]] = {name: value for name, value in message.items() if name != "token"}
        self.outbox.append(message)
        return message

    def take_outbox(self) -> list[Message]:
        """Return the messages to send now, in order, and forget that they wait."""
        taken, self.outbox = self.outbox, []
        return taken

    def receive(self, plain: dict[str, Any]) -> list[Update]:
        """Take in one message of a server's frame and return what is new, in order.

        May queue messages in the outbox. Raises ProtocolViolationError when the server's message is not as documented.
        """
        message = parse_server_message(plain)
        if message is None:
            return []
        try:
            return self._received(message)
        except (LookupError, ValueError, TypeError, AttributeError) as error:
            detail = f"the server sent a `{message['t']}` that does not fit the table"
            raise ProtocolViolationError(CloseCode.PROTOCOL_VIOLATION, detail) from error

    # ── commands ─────────────────────────────────────────────────────────────────────────────────────────────────────
    # Each queues one message and returns it; its ref comes back in an Answered. Only after the first welcome.

    def whose(self, token: str) -> Message:
        """Ask whose *token* is."""
        return self._command("whose", token=token)

    def renew_token(self) -> Message:
        """Ask for another token. Once it is there ``token`` is the new one: keep it, and connect again."""
        return self._command("renew_token")

    def register_bot(self, name: str, *, version: str | None = None) -> Message:
        """Ask for an account for a bot of ours; the answer has its token."""
        return self._command("register_bot", name=name, version=version)

    def revoke_bot(self, name: str) -> Message:
        """Make the token of a bot of ours worthless."""
        return self._command("revoke_bot", name=name)

    def list_bots(self) -> Message:
        """Ask for our bots."""
        return self._command("bots")

    def list_tables(self, which: TableFilter = "all") -> Message:
        """Ask for the public tables."""
        return self._command("tables", filter=which)

    def create(
        self,
        preset: str = "standard",
        *,
        rules: dict[str, Any] | None = None,
        visibility: Visibility = "private",
        clock: ClockName = "normal",
        bots: str | None = None,
        spectators: bool | None = None,
        bots_stay: bool | None = None,
        name: str | None = None,
        seed: int | None = None,
    ) -> Message:
        """Make a table and sit at it."""
        return self._command(
            "create",
            preset=preset,
            rules=rules,
            visibility=visibility,
            clock=clock,
            bots=bots,
            spectators=spectators,
            bots_stay=bots_stay,
            name=name,
            seed=seed,
        )

    def join(self, *, table: str | None = None, code: str | None = None, seat: int | None = None) -> Message:
        """Sit down at a table given by id or code."""
        return self._command("join", table=table, code=code, seat=seat)

    def leave(self, table: str) -> Message:
        """Stand up for good."""
        return self._command("leave", table=table)

    def watch(self, *, table: str | None = None, code: str | None = None) -> Message:
        """Look on at a table given by id or code."""
        return self._command("watch", table=table, code=code)

    def unwatch(self, table: str) -> Message:
        """Stop looking on."""
        return self._command("unwatch", table=table)

    def fill(self, table: str, *, seat: int | None = None, level: str | None = None) -> Message:
        """Put a bot in *seat*, or in all open seats."""
        return self._command("fill", table=table, seat=seat, level=level)

    def start(self, table: str) -> Message:
        """Start the game, or the next one."""
        return self._command("start", table=table)

    def act(self, table: str, turn: int, action: Action | str) -> Message:
        """Take the decision *turn*, the number in its prompt."""
        return self._command("act", table=table, turn=turn, action=str(action))

    def away(self, table: str, *, on: bool) -> Message:
        """Let a bot decide for us, or take the seat back."""
        return self._command("away", table=table, on=on)

    def say(self, table: str, text: str) -> Message:
        """Say *text* to the table."""
        return self._command("say", table=table, text=text)

    def say_preset(self, table: str, preset: SayPreset) -> Message:
        """Say one of the fixed lines to the table."""
        return self._command("say", table=table, preset=preset)

    def entropy(self, table: str, text: str) -> Message:
        """Add *text* to what the next deal is made from; an empty one takes ours back."""
        return self._command("entropy", table=table, text=text)

    def more_time(self, table: str, turn: int) -> Message:
        """Give the one who thinks about decision *turn* more time."""
        return self._command("more_time", table=table, turn=turn)

    def game(self, table: str, game: str | None = None) -> Message:
        """Ask for the record of a finished game, by default the latest."""
        return self._command("game", table=table, game=game)

    def games(self, before: int | None = None) -> Message:
        """Ask for a page of the finished games the player took part in; the answer carries them."""
        return self._command("games", before=before)

    def hint(self, table: str) -> Message:
        """Ask what each of our legal actions is worth, where we practise."""
        return self._command("hint", table=table)

    def analyse(self, table: str, hand: int, *, game: str | None = None) -> Message:
        """Ask what the decisions of one hand of a finished game were worth, by default of the latest game."""
        return self._command("analyse", table=table, hand=hand, game=game)

    def ping(self) -> Message:
        """Ask whether the server is there."""
        return self._command("ping")

    def send_again(self, request: Message) -> None:
        """Queue a refused command again with the ref it has, after the ``retry_ms`` of its refusal."""
        self._queue(request)

    def _command(self, kind: str, /, **fields: Any) -> Message:
        if self.player is None:
            raise RuntimeError("a command before the first welcome would have no ref of its own")
        message = self._numbered(kind, **fields)
        self._queue(message)
        return message

    def _queue(self, message: Message) -> None:
        self.outstanding[message["ref"]] = message
        if self.is_welcome:  # else it goes out after the next welcome
            self.outbox.append(message)

    def _numbered(self, kind: str, /, **fields: Any) -> Message:
        ref, self.next_ref = self.next_ref, self.next_ref + 1
        return {"t": kind, "ref": ref} | {name: value for name, value in fields.items() if value is not None}

    # ── what arrives ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _received(self, message: ServerMessage) -> list[Update]:
        match message["t"]:
            case "welcome":
                return self._welcomed(message)
            case "ok":
                return self._done(message)
            case "pong" | "refused":
                return self._answered(message)
            case "event":
                return self._told(message)
            case "view":
                return self._shown(message)
            case "prompt":
                return self._prompted(message)
            case "presence":
                return self._presence(message)
            case "chat":
                return [
                    Chatted(
                        message["table"], message["seat"], message["name"], message.get("text"), message.get("preset")
                    )
                ]
            case "notice":
                return self._noticed(message)
            case "decide" | "weigh":
                return []
            case _:
                assert_never(message["t"])

    def _welcomed(self, message: Welcome) -> list[Update]:
        self.outstanding.pop(message["ref"], None)
        self.player, self.token = message["player"], message["token"]
        self.next_ref = max(self.next_ref, message["next_ref"])
        self.is_welcome = True
        sat_at = {table["table"]: table["seat"] for table in message["tables"]}
        gone = [table for table, known in self.tables.items() if known.seat is not None and table not in sat_at]
        for table in gone:
            del self.tables[table]
        for table, seat in sat_at.items():
            known = self.tables.get(table, TableFollower(table, seat))
            self.tables[table] = replace(known, seat=seat, prompt=None)
        self._resuming = set(self.tables)
        self.outbox.extend(self.outstanding.values())
        asked = [_place(waiting) for waiting in self.outstanding.values() if waiting["t"] == "watch"]
        for place in self._watching.values():
            if place not in asked:
                self._command("watch", **place)
        welcomed = Welcomed(message["player"], tuple(message["tables"]), message["server"])
        return [welcomed, *(TableGone(table) for table in gone)]

    def _done(self, message: Ok) -> list[Update]:
        request = self.outstanding.pop(message["ref"], None)
        updates: list[Update] = [Answered(message["ref"], request, message)]
        if request is None:
            return updates
        match request["t"]:
            case "create" | "join":
                self._watching.pop(message["table"], None)
                self._follow(message["table"], message["seat"])
            case "watch":
                table = message["table"]
                self._watching[table] = _place(request)
                self._follow(table, None)
            case "leave" | "unwatch":
                updates += self._forget(request["table"])
            case "sync":
                self._syncing.discard(request["table"])
            case "renew_token":
                self.token = message["token"]
            case _:
                pass
        return updates

    def _answered(self, message: Pong | Refused) -> list[Update]:
        ref = message["ref"]
        request = None if ref is None else self.outstanding.pop(ref, None)
        updates: list[Update] = [Answered(ref, request, message)]
        if request is None:
            return updates
        match request["t"]:
            case "sync":
                self._syncing.discard(request["table"])
            case "watch":
                refused = [table for table, place in self._watching.items() if place == _place(request)]
                for table in refused:
                    updates += self._forget(table)
            case _:
                pass
        return updates

    def _told(self, message: EventMessage) -> list[Update]:
        known = self.tables.get(message["table"])
        self._resuming.discard(message["table"])
        if known is None or known.seq is None or message["seq"] <= known.seq:
            return []
        if message["seq"] != known.seq + 1:
            self._sync(known.table, known.seq)
            return []
        after, happenings = known.told(message)
        self.tables[known.table] = after
        updates: list[Update] = [EventsArrived(known.table, message["seq"], happenings, after)]
        for happening in happenings:
            match happening:
                case TableClosed(why):
                    updates += self._forget(known.table, why)
                case Unseated(seat) if seat == known.seat:
                    updates += self._forget(known.table)
                case _:
                    pass
        return updates

    def _shown(self, message: ViewMessage) -> list[Update]:
        table = message["table"]
        known = self.tables.get(table, TableFollower(table, None))
        is_older = known.seq is not None and message["seq"] < known.seq
        if is_older and table not in self._resuming:  # else the table was put back by whoever runs the server
            return []
        self._resuming.discard(table)
        after = self.tables[table] = known.shown(message)
        return [ViewArrived(table, after)]

    def _prompted(self, message: Prompt) -> list[Update]:
        known = self.tables.get(message["table"])
        if known is None or known.seq is None or message["seq"] < known.seq:
            return []
        if message["seq"] > known.seq:
            self._sync(known.table, known.seq)
            return []
        after = self.tables[known.table] = known.prompted(message)
        return [PromptArrived(known.table, message, after)]

    def _presence(self, message: Presence) -> list[Update]:
        known = self.tables.get(message["table"])
        if known is None or known.info is None:
            return []
        info = with_presence(known.info, message["seat"], online=message["online"])
        self.tables[known.table] = replace(known, info=info)
        return [PresenceChanged(known.table, message["seat"], message["online"])]

    def _noticed(self, message: Notice) -> list[Update]:
        table, retry_ms = message.get("table"), message.get("retry_ms")
        updates: list[Update] = [Noticed(message["kind"], message["detail"], table, retry_ms, message.get("in_ms"))]
        if message["kind"] == "drain":
            self.drain_retry_ms = retry_ms
        if message["kind"] == "table_closed" and table is not None:
            updates += self._forget(table, message["detail"])
        return updates

    # ── tables ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _follow(self, table: str, seat: int | None) -> None:
        known = self.tables.get(table)
        self.tables[table] = TableFollower(table, seat) if known is None else replace(known, seat=seat)

    def _forget(self, table: str, why: str | None = None) -> list[Update]:
        self._watching.pop(table, None)
        self._syncing.discard(table)
        return [TableGone(table, why)] if self.tables.pop(table, None) is not None else []

    def _sync(self, table: str, seq: int) -> None:
        if table not in self._syncing:
            self._syncing.add(table)
            self._command("sync", table=table, seq=seq)


def _place(watch: Message) -> Message:
    return {name: watch[name] for name in ("table", "code") if name in watch}
