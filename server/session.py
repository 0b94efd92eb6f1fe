"""One connection's conversation: who is there, and what each message does. Sockets are server/connections.py's."""

from __future__ import annotations

import asyncio
import contextlib
import math
import secrets
import time
from collections.abc import Coroutine, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import structlog

from engine.actions import Action, action_from_plain
from engine.errors import Code, IllegalActionError
from engine.fair import SECRET_BYTES
from engine.view import sees_revealed
from protocol import outgoing
from protocol.codes import MALFORMED_LIMIT, PROTOCOL_VERSION, CloseCode, RefusalCode
from protocol.errors import ProtocolViolationError, UnfitTextError
from protocol.messages import (
    Act,
    Analyse,
    Asking,
    Away,
    Bots,
    ClientMessage,
    Create,
    Decided,
    Entropy,
    Fill,
    Game,
    Games,
    Hello,
    Hint,
    Join,
    Leave,
    MoreTime,
    Ping,
    RegisterBot,
    RenewToken,
    RevokeBot,
    Say,
    Start,
    Sync,
    Tables,
    Unwatch,
    Watch,
    Weighed,
    Whose,
    Work,
    parse_client_message,
)
from protocol.names import bot_version, chat_text, display_name
from server import __version__, explaining, table
from server.actor import UNAVAILABLE, Answer, NotFinishedError, TableActor
from server.archive import Archive
from server.entries import SatDown
from server.limits import Kind, Throttle
from server.lobby import Lobby, LobbyRefusalError, may_watch, my_tables, next_ref
from server.log import LogUnavailableError
from server.logs import place_of
from server.metrics import Metrics
from server.outlet import Outlet
from server.peers import Peers
from server.players import MAX_BOTS_PER_OWNER, Player, Players, TooManyBotsError
from server.restarts import Restarts
from server.store import StoreAwayError
from server.table import Refusal, viewer_of
from server.workers import Worker, WorkerPool

_GUEST: Final = "Guest"
_RETRY_MS: Final = 1000
_GAME_ID_BYTES: Final = 9

_log = structlog.get_logger("server.session")


@dataclass(eq=False, slots=True)
class House:
    """What every session shares. ``sessions`` has the newest session of each player who is connected.

    ``lets_bots_in``: a bot needs no token, for its author tries it.
    """

    lobby: Lobby
    players: Players
    archive: Archive
    restarts: Restarts
    workers: WorkerPool
    worker_token: str
    sessions: dict[str, Session]
    throttle: Throttle = field(default_factory=lambda: Throttle(time.monotonic))
    is_draining: bool = False
    lets_bots_in: bool = False

    @property
    def peers(self) -> Peers:
        """The other nodes."""
        return self.lobby.peers

    @property
    def metrics(self) -> Metrics:
        """What was counted."""
        return self.lobby.metrics

    def __post_init__(self) -> None:
        self.peers.connected = self._connected_elsewhere

    def tell_everybody(self, notice: outgoing.Notice) -> None:
        """Send a notice to every player who is connected."""
        for session in self.sessions.values():
            session.tell(notice)

    def _connected_elsewhere(self, player: str, since: tuple[int, str], is_renewed: bool) -> None:  # noqa: FBT001
        session = self.sessions.get(player)
        if session is None:
            return
        if session.since < since:
            session.replace(is_renewed=is_renewed)
        else:  # the other one is the older, and its node missed that
            self.peers.tell_connected(player, session.since, is_renewed=False)


class Session:
    """One connection, from its first message to its end."""

    def __init__(self, house: House, outlet: Outlet, *, address: str = "") -> None:
        self._house = house
        self._outlet = outlet
        self._address = address
        self._player: Player | None = None
        self._token = ""
        self._worker: Worker | None = None
        self._tables: set[str] = set()
        self._joining: set[str] = set()
        self._malformed = 0
        self._messages = house.throttle.fresh(Kind.MESSAGE)
        self._overrun = house.throttle.fresh(Kind.OVERRUN)
        self.is_greeting = False
        """Whether it is being looked up who the peer is."""
        self._is_over = False
        self._explaining: asyncio.Task[None] | None = None
        self.since = (0, "")
        """When the player said hello, and to which node: the latest counts."""

    @property
    def is_worker(self) -> bool:
        return self._worker is not None

    @property
    def is_greeted(self) -> bool:
        """Tell whether the peer said who it is."""
        return self._player is not None or self._worker is not None

    async def receive(self, frame: str | bytes) -> None:
        """Take one frame: do what it says and answer. A peer that breaks the wire is refused or closed.

        What arrives after the connection was closed from here is passed over: nobody would hear the answer.
        """
        if self._is_over:
            return
        try:
            await self._take(parse_client_message(self._outlet.codec.decode(frame)))
        except ProtocolViolationError as error:
            if isinstance(error.code, CloseCode):
                self._close(error.code, error.detail)
                return
            self._refuse(error.ref, error.code, error.detail)
            self._malformed += 1
            if self._malformed >= MALFORMED_LIMIT:
                self._close(CloseCode.PROTOCOL_VIOLATION, "too many messages that cannot be read")

    def end(self) -> None:
        """Let go of everything; called once, when the connection is gone."""
        if self._worker is not None:
            self._house.workers.leave(self._worker)
        if self._explaining is not None:
            self._explaining.cancel()
        player = self._player
        if player is None:
            return
        for id_ in self._tables:
            actor = self._house.lobby.held(id_)
            if actor is not None:
                actor.detach(player.id, self._outlet)
        if self._house.sessions.get(player.id) is self:
            del self._house.sessions[player.id]

    def tell(self, notice: outgoing.Notice) -> None:
        """Send the peer a notice."""
        self._send(notice)

    def catch_up(self) -> None:
        """Hear that the peer has taken what it was sent: show it what was left out meanwhile."""
        if self._player is None:
            return
        for id_ in self._tables:
            actor = self._house.lobby.held(id_)
            if actor is not None:
                actor.audience.catch_up(self._player.id, self._outlet)

    def replace(self, *, is_renewed: bool = False) -> None:
        """End the connection in favour of the player's newer one. *is_renewed*: that one came with a new token."""
        if is_renewed:
            self._close(CloseCode.TOKEN_RENEWED, "a new token was made elsewhere; the one you came with is worthless")
        else:
            self._close(CloseCode.REPLACED, "you are connected from elsewhere")

    def _close(self, code: CloseCode, reason: str) -> None:
        self._is_over = True
        self._outlet.close(code, reason)

    # ── answering ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _send(self, message: outgoing.ServerMessage) -> None:
        self._outlet.send(self._outlet.codec.encode(message))

    def _refuse(
        self,
        ref: int | None,
        code: str,
        detail: str,
        *,
        fields: dict[str, str] | None = None,
        retry_ms: int | None = None,
    ) -> None:
        if code == RefusalCode.DEGRADED and retry_ms is None:
            retry_ms = _RETRY_MS
        self._house.metrics.refused(str(code))
        self._send(outgoing.refused(ref, str(code), detail, retry_ms=retry_ms, fields=fields))

    def _put_off(self, ref: int, wait_s: float, detail: str) -> None:
        """Refuse what is too much for now; close a peer that goes on all the same."""
        self._refuse(ref, RefusalCode.RATE_LIMITED, detail, retry_ms=math.ceil(wait_s * 1000))
        if self._overrun.take(self._house.throttle.now_s()):
            self._close(CloseCode.RATE_LIMIT, "too much too fast")

    # ── messages ─────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _take(self, message: ClientMessage) -> None:
        if isinstance(message, Decided | Weighed):
            if self._worker is None:
                raise ProtocolViolationError(RefusalCode.BAD_MESSAGE, f"only a bot worker sends {message.t}")
            self._house.workers.answered(self._worker, message.id, _outcome(message))
            return
        if self._worker is None and (wait_s := self._messages.take(self._house.throttle.now_s())):
            self._put_off(message.ref, wait_s, "too many messages; send this again in a moment")
            return
        with self._refusing(message):
            if isinstance(message, Hello):
                await self._hello(message)
            elif isinstance(message, Work):
                self._work(message)
            elif isinstance(message, Ping):
                self._send(outgoing.pong(message.ref))
            elif self._player is None:
                self._refuse(message.ref, RefusalCode.HELLO_FIRST, "say hello first")
            else:
                await self._serve(self._player, message)

    @contextlib.contextmanager
    def _refusing(self, message: Asking) -> Iterator[None]:
        """Answer *message* with the refusal that is raised while the context is open."""
        try:
            yield
        except LobbyRefusalError as refusal:
            self._refuse(message.ref, refusal.code, refusal.detail, fields=refusal.fields)
        except NotFinishedError:
            self._refuse(message.ref, RefusalCode.NOT_FINISHED, "no such game was finished at this table")
        except UnfitTextError as error:
            self._refuse(message.ref, error.code, error.detail)
        except (LogUnavailableError, StoreAwayError):
            self._refuse(message.ref, RefusalCode.DEGRADED, UNAVAILABLE)
            if isinstance(message, Hello):  # who is not welcome has nothing to do but to come again
                self._close(CloseCode.DRAINING, "come again in a moment")

    async def _serve(self, player: Player, message: ClientMessage) -> None:
        lobby = self._house.lobby
        match message:
            case Act():
                await self._act(player, message)
            case Whose():
                await self._whose(message)
            case RenewToken():
                await self._renew_token(player, message)
            case RegisterBot():
                await self._register_bot(player, message)
            case RevokeBot():
                await self._revoke_bot(player, message)
            case Bots():
                own = await self._house.players.bots(player.id)
                bots: list[outgoing.OwnBot] = [
                    {"name": bot.name, "version": bot.version or None, "made_ms": bot.made_ms} for bot in own
                ]
                self._send(outgoing.ok(message.ref, bots=bots))
            case Tables():
                self._send(outgoing.ok(message.ref, tables=await lobby.listed(message.filter or "open")))
            case Create():
                await self._create(player, message)
            case Join():
                await self._join(player, message)
            case Leave():
                actor = await lobby.get(message.table)
                actor.submit(table.StandUp(player.id, message.ref), self._answer(message.ref, actor))
            case Watch():
                await self._watch(player, message)
            case Unwatch():
                actor = await lobby.get(message.table)
                if actor.state.room.seat_of(player.id) is not None or player.id not in actor.audience:
                    self._refuse(message.ref, RefusalCode.NOTHING_TO_DO, "you do not watch this table")
                else:
                    actor.detach(player.id, self._outlet)
                    self._tables.discard(actor.id)
                    self._send(outgoing.ok(message.ref))
            case Fill():
                actor = await lobby.get(message.table)
                command = table.FillSeats(player.id, message.seat, message.level, message.ref)
                actor.submit(command, self._answer(message.ref, actor))
            case Start():
                actor = await lobby.get(message.table)
                secret = secrets.token_bytes(SECRET_BYTES)
                game = f"g_{secrets.token_urlsafe(_GAME_ID_BYTES)}"
                start = table.StartGame(player.id, game, secret, message.ref)
                actor.submit(start, self._answer(message.ref, actor))
            case Away():
                actor = await lobby.get(message.table)
                away = table.SetAway(player.id, message.on, message.ref)
                actor.submit(away, self._answer(message.ref, actor))
            case Entropy():
                actor = await lobby.get(message.table)
                stir = table.Stir(player.id, message.text, message.ref)
                actor.submit(stir, self._answer(message.ref, actor))
            case MoreTime():
                actor = await lobby.get(message.table)
                gift = table.GiveTime(player.id, message.turn, message.ref)
                actor.submit(gift, self._answer(message.ref, actor))
            case Game():
                await self._game(player, message)
            case Hint():
                self._explain(message, self._hint(player, message))
            case Analyse():
                if wait_s := self._house.throttle.take(Kind.ANALYSE, player.id):
                    self._put_off(message.ref, wait_s, "you had many hands looked at; have this one in a moment")
                else:
                    self._explain(message, self._analyse(player, message))
            case Games():
                games = await self._house.archive.of_player(player.id, before=message.before)
                self._send(outgoing.ok(message.ref, games=games))
            case Sync():
                actor = await self._at_table(player, message.table)
                await actor.reached(message.seq)
                self._send(outgoing.ok(message.ref))
                actor.audience.sync(player.id, message.seq)
            case Say():
                await self._say(player, message)
            case _:
                raise AssertionError(f"{message.t} is not for players")

    async def _hello(self, hello: Hello) -> None:
        if self.is_greeted:
            self._refuse(hello.ref, RefusalCode.ALREADY_GREETED, "you have said who you are")
            return
        if hello.version != PROTOCOL_VERSION:
            self._refuse(hello.ref, RefusalCode.BAD_VERSION, f"this server speaks version {PROTOCOL_VERSION}")
            return
        if hello.kind == "bot" and hello.token is None and not self._house.lets_bots_in:
            detail = "a bot needs the token it was registered with"
            self._refuse(hello.ref, RefusalCode.BOT_NEEDS_TOKEN, detail)
            return
        name = None if hello.name is None else display_name(hello.name)
        throttle = self._house.throttle
        if hello.token is None and (wait_s := throttle.take(Kind.GUEST, self._address)):
            self._put_off(hello.ref, wait_s, "too many new players come from your address; try again later")
            self._close(CloseCode.RATE_LIMIT, "too many new players")
            return
        lobby = self._house.lobby
        self.since = lobby.now_ms(), self._house.peers.node
        self.is_greeting = True
        try:
            player, token, is_renewed = await self._identify(hello.token, name, kind=hello.kind or "human")
        finally:
            self.is_greeting = False
        if player is None:
            self._refuse(hello.ref, RefusalCode.BAD_TOKEN, "this token belongs to nobody here; say hello without it")
            self._close(CloseCode.TOKEN_REFUSED, "unknown token")
            return
        if is_renewed:  # whoever came with the old token came before that
            self.since = lobby.now_ms(), self._house.peers.node
        actors = await lobby.of_player(player.id, known=(hello.resume or {}).keys())
        latest = self._house.sessions.get(player.id)
        if latest is not None and latest.since > self.since:  # it took less time to find out who that is
            self.replace()
            return
        self._player, self._token = player, token
        self._messages = throttle.of(Kind.MESSAGE, player.id)
        self._replace_older_sessions(player, is_renewed=is_renewed)
        self._send(
            outgoing.welcome(
                hello.ref,
                player=_info(player),
                token=token,
                next_ref=next_ref(lobby.now_ms(), hello.ref, player.id, actors),
                tables=my_tables(player.id, actors),
                server={"name": "euchre", "version": __version__},
                limits=limits_told(throttle),
            )
        )
        if self._house.restarts.is_expected:
            self.tell(self._house.restarts.notice())
        await self._resume(player, actors, hello.resume or {})

    async def _identify(
        self, token: str | None, name: str | None, *, kind: outgoing.PlayerKind
    ) -> tuple[Player | None, str, bool]:
        """Return who the peer is, the token, and whether it has just taken the place of another."""
        players = self._house.players
        if token is None:
            return *await players.add(name or _GUEST, kind=kind), False
        player, is_renewed = await players.find(token), False
        if player is None:
            is_renewed = await players.accept(token)
            player = await players.find(token)  # it may have been accepted on another connection meanwhile
        # An external bot has the name its owner registered.
        if player is not None and player.kind == "human" and name is not None and name != player.name:
            player = await players.rename(player, name)
        return player, token, is_renewed

    async def _whose(self, message: Whose) -> None:
        player = await self._house.players.find(message.token)
        if player is None:
            self._refuse(message.ref, RefusalCode.BAD_TOKEN, "this token belongs to nobody here")
        else:
            self._send(outgoing.ok(message.ref, player=_info(player)))

    async def _renew_token(self, player: Player, message: RenewToken) -> None:
        if player.kind == "bot":
            self._refuse(message.ref, RefusalCode.NOT_FOR_BOTS, "a bot gets another token by being registered again")
            return
        token = await self._house.players.offer_token(player.id, self._token)
        if token is None:  # it was renewed on another connection, which this one has not heard of yet
            self.replace(is_renewed=True)
        else:
            self._send(outgoing.ok(message.ref, token=token))

    async def _register_bot(self, owner: Player, message: RegisterBot) -> None:
        name = display_name(message.name)
        version = bot_version(message.version) if message.version else None
        if owner.kind == "bot":
            self._refuse(message.ref, RefusalCode.NOT_FOR_BOTS, "a bot is registered by a person")
            return
        try:
            registered = await self._house.players.register_bot(owner.id, name, version)
        except TooManyBotsError:
            self._refuse(
                message.ref, RefusalCode.TOO_MANY_BOTS, f"you have {MAX_BOTS_PER_OWNER} bots, the most; revoke one"
            )
            return
        self._send(outgoing.ok(message.ref, token=registered.token, renewed=registered.is_renewed))

    async def _revoke_bot(self, owner: Player, message: RevokeBot) -> None:
        name, players = display_name(message.name), self._house.players
        named = [bot.id for bot in await players.bots(owner.id) if bot.name == name]
        if named and await players.revoke(named[0]):
            self._send(outgoing.ok(message.ref))
        else:
            self._refuse(message.ref, RefusalCode.NO_SUCH_BOT, f"you have no bot called {name}")

    def _replace_older_sessions(self, player: Player, *, is_renewed: bool) -> None:
        """The newest connection of a player is the player; an older one is closed and its end changes nothing."""
        house = self._house
        older = house.sessions.get(player.id)
        house.sessions[player.id] = self
        if older is not None:
            older.replace(is_renewed=is_renewed)
        house.peers.tell_connected(player.id, self.since, is_renewed=is_renewed)

    async def _resume(self, player: Player, seated: Sequence[TableActor], cursors: dict[str, int]) -> None:
        for actor in seated:
            await self._resume_at(player, actor, cursors.get(actor.id))
        for id_, cursor in cursors.items():
            if id_ in self._tables:
                continue
            try:
                actor = await self._house.lobby.get(id_)
            except LobbyRefusalError as refusal:
                is_gone = refusal.code == RefusalCode.NO_SUCH_TABLE
                detail = "this table is closed" if is_gone else refusal.detail
                self._send(outgoing.notice("table_closed", detail, table=id_))
                continue
            if may_watch(actor, player.id) is None:
                await self._resume_at(player, actor, cursor)

    async def _resume_at(self, player: Player, actor: TableActor, cursor: int | None) -> None:
        if cursor is not None:
            await actor.reached(cursor)  # another node told him more than this one knows yet
        self._attach(player, actor, cursor)

    def _attach(self, player: Player, actor: TableActor, cursor: int | None) -> None:
        """Follow a table on this connection, unless the player has a newer one by now, which hears of it itself.

        Who lost his seat meanwhile looks on, where that is allowed.
        """
        is_hidden = may_watch(actor, player.id) is RefusalCode.NO_SPECTATORS
        if self._house.sessions.get(player.id) is self and actor.is_open and not is_hidden:
            self._tables.add(actor.id)
            actor.attach(player.id, self._outlet, cursor=cursor)

    async def _at_table(self, player: Player, id_: str) -> TableActor:
        """Return the table if this connection follows it. Raises LobbyRefusalError with NO_SUCH_TABLE or NOT_SEATED."""
        actor = await self._house.lobby.get(id_)
        if player.id not in actor.audience:
            raise LobbyRefusalError(RefusalCode.NOT_SEATED, "you neither sit at this table nor watch it")
        return actor

    def _answer(self, ref: int, actor: TableActor) -> Answer:
        """Return what answers a command: ``ok`` with its entry's number, or why it was refused."""

        def answer(outcome: int | Refusal) -> None:
            if isinstance(outcome, Refusal):
                self._refuse(ref, outcome.code, outcome.detail, retry_ms=outcome.retry_ms)
            else:
                self._send(outgoing.ok(ref, table=actor.id, seq=outcome))

        return answer

    async def _act(self, player: Player, message: Act) -> None:
        began_s = time.monotonic()
        actor = await self._house.lobby.get(message.table)
        action: Action | Code
        try:
            action = action_from_plain(message.action)
        except IllegalActionError as error:
            action = error.code
        ref = message.ref

        def answer(outcome: int | Refusal) -> None:
            if isinstance(outcome, Refusal):
                self._refuse(ref, outcome.code, outcome.detail, retry_ms=outcome.retry_ms)
                if outcome.code == RefusalCode.STALE:
                    actor.audience.show(player.id)
            else:
                self._house.metrics.acts.count(time.monotonic() - began_s)
                self._send(outgoing.ok(ref, seq=outcome))

        actor.submit(table.Act(player.id, message.turn, action, ref), answer)

    async def _create(self, player: Player, message: Create) -> None:
        if self._house.is_draining:
            raise LobbyRefusalError(RefusalCode.DRAINING, "this server is going down; make the table in a moment")
        title = f"{player.name}'s table" if message.name is None else display_name(message.name)
        if wait_s := self._house.throttle.take(Kind.CREATE, player.id):
            self._put_off(message.ref, wait_s, "you made many tables; make the next one in a while")
            return
        actor = await self._house.lobby.create(player, title, message)
        room = actor.state.room
        self._seat(player, actor, outgoing.ok(message.ref, table=actor.id, code=room.opened.code), seat=0)

    def _seat(self, player: Player, actor: TableActor, ok: outgoing.Ok, *, seat: int) -> None:
        """Answer *player* that he sits at the table and show it; where he left it by now, only that he got *seat*."""
        sits = actor.state.room.seat_of(player.id)
        self._send({**ok, "seat": seat if sits is None else sits})
        if sits is not None:
            self._attach(player, actor, None)

    async def _join(self, player: Player, message: Join) -> None:
        lobby = self._house.lobby
        actor = await lobby.find(table=message.table, code=message.code)
        if actor.state.room.seat_of(player.id) is None:
            await lobby.check_room_for(actor.id, player.id, joining=self._joining)
            self._joining.add(actor.id)

        def answer(outcome: int | Refusal) -> None:
            self._joining.discard(actor.id)
            if isinstance(outcome, Refusal):
                self._refuse(message.ref, outcome.code, outcome.detail, retry_ms=outcome.retry_ms)
                return
            entry, _ = actor.state.known[player.id][message.ref]
            assert isinstance(entry, SatDown)
            self._seat(player, actor, outgoing.ok(message.ref, table=actor.id, seq=outcome), seat=entry.seat)

        is_bot = player.kind == "bot"
        sitting = table.SitDown(player.id, player.name, message.seat, message.ref, is_bot, player.version, player.owner)
        actor.submit(sitting, answer)

    async def _watch(self, player: Player, message: Watch) -> None:
        actor = await self._house.lobby.find(table=message.table, code=message.code)
        code = may_watch(actor, player.id)
        if code is not None:
            detail = "you sit at this table" if code is RefusalCode.ALREADY_SEATED else "this table has no spectators"
            raise LobbyRefusalError(code, detail)
        self._send(outgoing.ok(message.ref, table=actor.id))
        self._attach(player, actor, None)

    async def _say(self, player: Player, message: Say) -> None:
        actor = await self._at_table(player, message.table)
        text = None if message.text is None else chat_text(message.text)
        if wait_s := self._house.throttle.take(Kind.SAY, player.id):
            self._put_off(message.ref, wait_s, "you said a lot; say this in a moment")
            return
        self._send(outgoing.ok(message.ref))
        actor.chat(player.id, player.name, text=text, preset=message.preset)

    async def _game(self, player: Player, message: Game) -> None:
        table, game, lines = await self._record_for(player, message.table, message.game)
        self._send(outgoing.ok(message.ref, table=table, game=game, lines=lines))

    async def _record_for(self, player: Player, table: str, game: str | None) -> tuple[str, str, list[str]]:
        """Return a table, a finished game there and its record, if *player* may see its hands.

        Raises LobbyRefusalError and NotFinishedError.
        """
        try:
            actor = await self._at_table(player, table)
        except LobbyRefusalError:
            if game is None:
                raise
            archived = await self._house.archive.get(table, game)
            if archived is None or player.id not in archived.seats:
                raise
            if not archived.may_be_read_by(player.id):
                raise _hands_hidden() from None
            return table, archived.game, archived.lines
        if not sees_revealed(viewer_of(actor.state, player.id), actor.state.room.rules):
            raise _hands_hidden()
        return actor.id, *await self._record(actor, game)

    async def _record(self, actor: TableActor, game: str | None) -> tuple[str, list[str]]:
        """Return a finished game's name and record: from the archive where it is there, else from the table's log."""
        if game is not None:
            with contextlib.suppress(StoreAwayError):
                archived = await self._house.archive.get(actor.id, game)
                if archived is not None:
                    return archived.game, archived.lines
        return await actor.record(game)

    # ── explaining ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _explain(self, message: Asking, work: Coroutine[None, None, outgoing.Ok]) -> None:
        """Answer *message* when *work* is done, which takes its time; only one at a time."""
        if self._explaining is not None:
            work.close()
            self._put_off(message.ref, _RETRY_MS / 1000, "one thing at a time: the last is still looked at")
            return
        self._explaining = asyncio.get_running_loop().create_task(self._explained(message, work))

    async def _explained(self, message: Asking, work: Coroutine[None, None, outgoing.Ok]) -> None:
        try:
            with self._refusing(message):
                self._send(await work)
        except Exception as error:  # noqa: BLE001  # nobody waits for this task, who could say that we broke
            _log.error("session_failed", error=type(error).__name__, at=place_of(error))
            self._close(CloseCode.INTERNAL_ERROR, "internal error")
        finally:
            self._explaining = None

    async def _hint(self, player: Player, message: Hint) -> outgoing.Ok:
        actor = await self._house.lobby.get(message.table)
        await actor.caught_up()
        turn, worths = await explaining.hint(self._house.workers, actor.state, player.id)
        return outgoing.hinted(message.ref, turn=turn, worths=worths, layouts=explaining.LAYOUTS)

    async def _analyse(self, player: Player, message: Analyse) -> outgoing.Ok:
        table, game, lines = await self._record_for(player, message.table, message.game)
        looked = await explaining.analyse_hand(self._house.workers, lines, message.hand)
        return outgoing.analysed(
            message.ref,
            table=table,
            game=game,
            decisions=looked.decisions,
            layouts=explaining.LAYOUTS,
            hands=looked.hands,
            par=looked.par,
            luck=looked.luck,
        )

    def _work(self, message: Work) -> None:
        if self.is_greeted:
            self._refuse(message.ref, RefusalCode.ALREADY_GREETED, "you have said who you are")
        elif not secrets.compare_digest(message.token, self._house.worker_token):
            self._refuse(message.ref, RefusalCode.BAD_TOKEN, "this server does not take that worker token")
            self._close(CloseCode.TOKEN_REFUSED, "unknown worker token")
        else:
            self._worker = self._house.workers.join(self._outlet, message.slots)
            self._send(outgoing.ok(message.ref))


def _info(player: Player) -> outgoing.PlayerInfo:
    return {"id": player.id, "name": player.name, "kind": player.kind}


def _outcome(message: Decided | Weighed) -> str | list[outgoing.Worth]:
    if isinstance(message, Decided):
        return message.action
    return [{"action": one.action, "points": one.points, "error": one.error} for one in message.worths]


def limits_told(throttle: Throttle) -> outgoing.Limits:
    """Return the limits as `welcome` tells them."""
    rates: dict[str, outgoing.RateInfo] = {
        str(kind): {"burst": rate.burst, "every_ms": round(rate.every_s * 1000)}
        for kind in (Kind.MESSAGE, Kind.CREATE, Kind.SAY, Kind.ANALYSE)
        if (rate := throttle.rates.get(kind)) is not None
    }
    return {**outgoing.LIMITS, "rates": rates} if rates else outgoing.LIMITS


def _hands_hidden() -> LobbyRefusalError:
    return LobbyRefusalError(RefusalCode.HANDS_HIDDEN, "this table's rules keep finished hands hidden from you")
