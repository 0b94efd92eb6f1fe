"""The client's half: refs, resume, gaps, and what is sent again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.events import CardsDealt, HandDealt
from engine.state import Phase
from engine.view import WATCHER
from protocol.client import ClientSession
from protocol.codes import PROTOCOL_VERSION
from protocol.errors import ProtocolViolationError
from protocol.messages import Asking, parse_client_message
from protocol.outgoing import chat, notice, ok, presence, refused
from protocol.table_events import GameStarted, Seated, TableClosed, Unseated
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
from tests.protocol.loopback import CODE, TABLE, Loopback, on_the_wire


class Player:
    """A client session with a wire to a loopback that can be cut."""

    def __init__(self, server: Loopback, name: str) -> None:
        self.server = server
        self.name = name
        self.session = ClientSession(name=name)
        self.updates: list[Update] = []
        self.heard = 0
        self.sent: list[dict[str, Any]] = []

    def connect(self) -> None:
        self.session.hello()
        self.flush()

    def flush(self, *, lose_answers: bool = False) -> None:
        """Send all that waits, until nothing does."""
        while messages := self.session.take_outbox():
            for message in messages:
                self.sent.append(message)
                answers = self.server.hear(self.name, message)
                if not lose_answers:
                    self.take(answers)

    def take(self, messages: list[dict[str, Any]]) -> None:
        for message in messages:
            self.updates += self.session.receive(message)
            self.heard = max(self.heard, message.get("seq", 0))

    def listen(self) -> None:
        """Hear of everything in the log that was not heard of."""
        self.take(self.server.news(self.name, self.heard))
        self.flush()

    def only(self, kind: type[Any]) -> list[Any]:
        return [update for update in self.updates if isinstance(update, kind)]

    @property
    def at_table(self) -> Any:
        return self.session.tables[TABLE]


def seated_player(seed: int = 1, name: str = "Ann", **rules: object) -> tuple[Loopback, Player]:
    server = Loopback(seed, **rules)
    player = Player(server, name)
    player.connect()
    player.session.join(code=CODE)
    player.flush()
    return server, player


def assert_knows_the_table(player: Player) -> None:
    """The client's fold is the server's view, and the open decision is known."""
    known, server = player.at_table, player.server
    assert known.seq == server.seq
    assert known.info == server.info
    seen = server.view_of(player.name)
    prompts = server.prompt(player.name)
    if prompts:
        assert known.prompt == prompts[0]
        assert known.view == seen
    elif seen is not None:
        assert replace(known.view, phase=None, to_act=None) == replace(seen, phase=None, to_act=None)


# ── greeting ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_hello_says_who_and_from_where() -> None:
    session = ClientSession(name="Ann", token="secret", client="test/1", kind="bot")
    message = session.hello()
    assert message == {
        "t": "hello", "ref": 1, "version": PROTOCOL_VERSION, "token": "secret", "name": "Ann", "client": "test/1",
        "kind": "bot",
    }  # fmt: skip
    assert session.take_outbox() == [message]
    assert session.take_outbox() == []


def test_the_welcome_gives_the_player_token_and_next_ref() -> None:
    server = Loopback()
    server.done["Ann", 41] = None  # type: ignore[assignment]  # only its number matters here
    player = Player(server, "Ann")
    player.connect()
    (welcomed,) = player.updates
    assert isinstance(welcomed, Welcomed)
    assert welcomed.player == {"id": "Ann", "name": "Ann", "kind": "human"}
    assert player.session.token == "Ann"
    assert player.session.ping()["ref"] == 42


def test_a_command_before_the_first_welcome_is_a_mistake() -> None:
    session = ClientSession()
    session.hello()
    with pytest.raises(RuntimeError):
        session.start("t1")


def test_a_refused_hello_is_told_without_the_token() -> None:
    session = ClientSession(token="secret")
    session.hello()
    (update,) = session.receive(on_the_wire(refused(1, "bad_token", "no such token")))
    assert isinstance(update, Answered)
    assert update.refusal is not None
    assert update.refusal["code"] == "bad_token"
    assert update.request == {"t": "hello", "ref": 1, "version": 1}
    assert "secret" not in repr(update)


# ── following ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_joining_brings_the_seat_and_a_view() -> None:
    _, player = seated_player()
    assert [type(update) for update in player.updates] == [Welcomed, Answered, ViewArrived]
    assert player.at_table.seat == 0
    assert player.at_table.view is None
    assert_knows_the_table(player)


def test_a_whole_game_is_followed_by_its_events() -> None:
    server, player = seated_player(target=3)
    server.start()
    player.listen()
    started, dealt = player.only(EventsArrived)
    assert started.events == (GameStarted(),)
    assert isinstance(dealt.events[0], HandDealt)
    assert isinstance(dealt.events[1], CardsDealt)
    assert dealt.after.view.cards == dealt.events[1].cards
    while server.prompt(player.name):
        server.play()
        player.listen()
        assert_knows_the_table(player)
    assert player.at_table.info["state"] == "over"
    assert player.at_table.view.over
    assert len(player.only(ViewArrived)) == 1


def test_the_next_game_begins_at_nothing() -> None:
    server, player = seated_player(hands=1, target=None)
    server.start()
    server.play_a_game()
    server.start()
    player.listen()
    assert player.at_table.view.score == (0, 0)
    assert player.at_table.info["state"] == "playing"
    assert_knows_the_table(player)


def test_a_prompt_tells_the_phase_and_whose_turn_it_is() -> None:
    server, player = seated_player()
    server.start()
    player.listen()
    (update,) = player.only(PromptArrived)
    assert update.prompt["turn"] == server.turn
    assert not update.is_mine
    assert "legal" not in update.prompt
    assert (update.after.view.phase, update.after.view.to_act) == (Phase.ROUND_ONE, 1)
    while server.prompt(player.name)[0]["seat"] != 0:
        server.play()
    player.listen()
    update = player.only(PromptArrived)[-1]
    assert update.is_mine
    assert update.prompt["legal"]


def test_an_event_closes_the_open_decision_and_an_entry_beside_the_game_does_not() -> None:
    server, player = seated_player()
    server.start()
    player.listen()
    open_turn = player.at_table.prompt
    player.take([on_the_wire({"t": "event", "table": TABLE, "seq": server.seq + 1, "events": []})])
    assert player.at_table.prompt == open_turn
    player.take(
        [on_the_wire({"t": "event", "table": TABLE, "seq": server.seq + 2, "events": [{"e": "passed", "seat": 1}]})]
    )
    assert player.at_table.prompt is None
    assert player.at_table.view.phase is None


def test_a_prompt_of_an_unknown_phase_is_a_prompt() -> None:
    server, player = seated_player()
    server.start()
    player.listen()
    (message,) = server.prompt(player.name)
    player.take([{**message, "phase": "juggle"}])
    assert player.at_table.view.phase is None
    assert player.at_table.view.to_act == 1


def test_a_watcher_follows_without_cards() -> None:
    server = Loopback()
    server.append(Seated(0, "human", "Ann", None))
    server.start()
    watcher = Player(server, "Zoe")
    watcher.connect()
    watcher.session.watch(table=TABLE)
    watcher.flush()
    server.play()
    watcher.listen()
    assert watcher.at_table.seat is None
    assert watcher.at_table.view.viewer == WATCHER
    assert watcher.at_table.view.cards == ()
    assert_knows_the_table(watcher)


def test_a_watcher_who_sits_down_gets_the_seat() -> None:
    server = Loopback()
    player = Player(server, "Ann")
    player.connect()
    player.session.watch(table=TABLE)
    player.session.join(table=TABLE)
    player.flush()
    assert player.at_table.seat == 0
    player.connect()
    assert [message["t"] for message in player.sent] == ["hello", "watch", "join", "hello"]
    assert player.sent[-1]["resume"] == {TABLE: 1}


# ── gaps and repeats ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_gap_asks_for_what_is_missing_once() -> None:
    server, player = seated_player()
    server.start()
    player.listen()
    for _ in range(3):
        server.play()
    before = player.at_table
    player.take([server.entry(player.name, server.seq - 1)])
    player.take([server.entry(player.name, server.seq), *server.prompt(player.name)])
    assert player.at_table == before
    assert player.session.outbox == [{"t": "sync", "ref": 3, "table": TABLE, "seq": before.seq}]
    player.flush()
    assert_knows_the_table(player)
    assert player.session.outstanding == {}


def test_a_prompt_from_ahead_shows_a_gap_too() -> None:
    server, player = seated_player()
    server.start()
    player.take(server.prompt(player.name))
    assert [message["t"] for message in player.session.outbox] == ["sync"]
    player.flush()
    assert_knows_the_table(player)


def test_a_gap_too_old_for_events_is_closed_by_a_view() -> None:
    server, player = seated_player()
    server.start()
    server.outlived = server.seq
    player.take([server.entry(player.name, server.seq)])
    player.flush()
    assert len(player.only(ViewArrived)) == 2
    assert_knows_the_table(player)


def test_after_an_answered_sync_another_gap_asks_again() -> None:
    server, player = seated_player()
    server.start()
    player.take([server.entry(player.name, server.seq)])
    (request,) = player.session.take_outbox()
    player.take([on_the_wire(refused(request["ref"], "degraded", "later", retry_ms=10))])
    player.take([server.entry(player.name, server.seq)])
    assert [message["t"] for message in player.session.outbox] == ["sync"]


def test_a_gap_at_a_table_that_was_left_meanwhile_is_asked_for_when_one_is_back() -> None:
    server, player = seated_player()
    server.start()
    player.take([server.entry(player.name, server.seq)])
    assert [message["t"] for message in player.session.take_outbox()] == ["sync"]  # which is lost
    player.take([on_the_wire(notice("table_closed", "it failed", table=TABLE))])
    player.session.join(code=CODE)
    player.flush()
    server.play()
    server.play()
    player.take([server.entry(player.name, server.seq)])
    assert [message["t"] for message in player.session.outbox] == ["sync"]


def test_what_was_heard_before_changes_nothing() -> None:
    server, player = seated_player()
    server.start()
    old_view = server.snapshot(player.name)
    server.play()
    player.listen()
    before, updates = player.at_table, len(player.updates)
    player.take([server.entry(player.name, seq) for seq in range(1, server.seq + 1)])
    player.take(old_view)
    assert player.at_table == before
    assert len(player.updates) == updates
    assert player.session.outbox == []


def test_a_view_of_an_unmoved_table_leaves_the_decision_open() -> None:
    server, player = seated_player()
    server.start()
    player.listen()
    shown = len(player.only(ViewArrived))
    player.take(server.snapshot(player.name)[:1])
    assert len(player.only(ViewArrived)) == shown + 1
    assert_knows_the_table(player)


def test_a_view_of_a_table_that_moved_closes_the_decision_until_another_is_told() -> None:
    server, player = seated_player()
    server.start()
    player.listen()
    assert player.at_table.prompt is not None
    server.play()
    view, prompt = server.snapshot(player.name)
    player.take([view])
    assert player.at_table.prompt is None
    player.take([prompt])
    assert_knows_the_table(player)


# ── answers and sending again ────────────────────────────────────────────────────────────────────────────────────────


def test_an_answer_comes_back_with_its_request() -> None:
    _, player = seated_player()
    request = player.session.ping()
    player.flush()
    answer = player.only(Answered)[-1]
    assert answer.request == request
    assert answer.answer == {"t": "pong", "ref": request["ref"]}
    assert answer.refusal is None
    assert player.session.outstanding == {}


def test_an_answer_to_nothing_is_told_and_forgotten() -> None:
    _, player = seated_player()
    player.take([on_the_wire(ok(99)), on_the_wire(refused(None, "bad_message", "no ref"))])
    known, unknown = player.only(Answered)[-2:]
    assert (known.ref, known.request) == (99, None)
    assert (unknown.ref, unknown.request) == (None, None)


def test_a_card_whose_answer_was_lost_is_sent_again_and_played_once() -> None:
    """C1, C5: the same ref is answered again and not applied again."""
    server, player = seated_player()
    server.start()
    while server.prompt(player.name)[0]["seat"] != 0:
        server.play()
    player.listen()
    prompt = player.at_table.prompt
    request = player.session.act(TABLE, prompt["turn"], prompt["legal"][0])
    player.flush(lose_answers=True)
    applied = server.seq
    player.connect()
    assert player.sent[-1] == request
    assert player.sent[-2]["t"] == "hello"
    assert server.seq == applied
    answer = player.only(Answered)[-1]
    assert (answer.request, answer.answer["t"]) == (request, "ok")
    assert_knows_the_table(player)


def test_a_command_given_while_away_goes_out_after_the_welcome() -> None:
    server, player = seated_player()
    server.start()
    player.session.hello()  # the connection was lost, and this one is not open yet
    request = player.session.away(TABLE, on=True)
    assert [message["t"] for message in player.session.outbox] == ["hello"]
    player.flush()
    assert player.sent[-1] == request
    player.listen()
    assert player.at_table.info["seats"][0]["away"]
    assert_knows_the_table(player)


def test_a_command_that_was_not_sent_yet_when_the_connection_went_goes_out_once() -> None:
    _, player = seated_player()
    command = player.session.away(TABLE, on=True)
    player.session.hello()
    assert [message["t"] for message in player.session.outbox] == ["hello"]
    player.flush()
    assert player.sent.count(command) == 1


def test_commands_are_sent_again_in_order_each_with_its_ref() -> None:
    _, player = seated_player()
    first = player.session.start(TABLE)
    second = player.session.away(TABLE, on=True)
    player.session.take_outbox()  # lost on the way
    player.connect()
    assert player.sent[-2:] == [first, second]
    assert second["ref"] > first["ref"]


def test_questions_of_a_lost_connection_and_chat_are_not_sent_again() -> None:
    _, player = seated_player()
    player.session.ping()
    player.session.say(TABLE, "Hello!")
    player.session.take_outbox()
    player.connect()
    assert [message["t"] for message in player.sent] == ["hello", "join", "hello"]
    assert player.session.outstanding == {}


def test_a_stale_act_is_refused_and_followed_by_a_view() -> None:
    """C3: nothing is dropped in silence."""
    server, player = seated_player()
    server.start()
    player.listen()
    player.session.act(TABLE, player.at_table.prompt["turn"] - 1, "pass")
    player.flush()
    answer = player.only(Answered)[-1]
    assert answer.refusal is not None
    assert answer.refusal["code"] == "stale"
    assert_knows_the_table(player)


def test_a_command_put_off_is_sent_again_with_its_ref() -> None:
    server, player = seated_player()
    request = player.session.start(TABLE)
    player.session.take_outbox()
    player.take([on_the_wire(refused(request["ref"], "degraded", "the log is slow", retry_ms=500))])
    assert player.session.outstanding == {}
    player.session.send_again(request)
    player.flush()
    assert player.sent[-1] == request
    assert server.game is not None


# ── resuming ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_reconnect_resumes_by_events() -> None:
    server, player = seated_player()
    server.start()
    player.listen()
    for _ in range(5):
        server.play()
    player.connect()
    assert player.sent[-1]["resume"] == {TABLE: 3}
    assert len(player.only(ViewArrived)) == 1
    assert_knows_the_table(player)


def test_resuming_twice_without_news_brings_no_events() -> None:
    """C7."""
    server, player = seated_player()
    server.start()
    player.connect()
    heard = len(player.only(EventsArrived))
    player.connect()
    assert len(player.only(EventsArrived)) == heard
    assert_knows_the_table(player)


def test_the_first_view_after_a_welcome_is_believed_although_it_is_older() -> None:
    """The end of the table's record was lost, and whoever runs the server had it played on from what was left."""
    server, player = seated_player()
    first_view = server.snapshot(player.name)
    server.start()
    left = server.game, server.info, server.turn, list(server.log)
    for _ in range(3):
        server.play()
    player.listen()
    server.game, server.info, server.turn, server.log = left
    old_view = server.snapshot(player.name)
    player.connect()
    player.take(first_view)  # a second one, which is no news any more
    assert player.at_table.seq == server.seq
    assert_knows_the_table(player)
    server.play()
    player.heard = server.seq - 1
    player.listen()
    player.take(old_view)
    assert player.at_table.seq == server.seq
    assert_knows_the_table(player)


def test_after_the_welcome_the_open_decision_is_known_only_when_it_is_told_again() -> None:
    server, player = seated_player()
    server.start()
    player.listen()
    assert player.at_table.prompt is not None
    player.session.hello()
    (hello,) = player.session.take_outbox()
    player.take(server.hear(player.name, hello)[:1])
    assert player.only(Welcomed)[1:]
    assert player.at_table.prompt is None


def test_news_of_a_table_before_its_view_are_passed_over() -> None:
    """They say what changed at a table that is not known yet; the view has it."""
    server, _ = seated_player()
    server.start()
    other = Player(server, "Ann")
    other.take([server.entry("Ann", server.seq), *server.prompt("Ann")])
    assert other.updates == []
    other.session.hello()
    (hello,) = other.session.take_outbox()
    other.take(server.hear("Ann", hello)[:1])
    there = on_the_wire(presence(TABLE, 1, online=True))
    other.take([server.entry("Ann", server.seq), *server.prompt("Ann"), there])
    assert len(other.updates) == len(other.only(Welcomed)) == 1
    assert other.session.outbox == []


def test_a_session_begun_elsewhere_gets_its_tables_by_view() -> None:
    server, first = seated_player()
    server.start()
    again = Player(server, "Ann")
    again.session.token = first.session.token
    again.connect()
    assert again.at_table.seat == 0
    assert_knows_the_table(again)


def test_a_table_lost_meanwhile_is_gone() -> None:
    server, player = seated_player()
    del server.seats["Ann"]
    player.connect()
    assert player.only(TableGone) == [TableGone(TABLE)]
    assert player.session.tables == {}


def test_a_watched_table_is_watched_again() -> None:
    server = Loopback()
    watcher = Player(server, "Zoe")
    watcher.connect()
    watcher.session.watch(code=CODE)
    watcher.flush()
    server.append(Seated(0, "human", "Ann", None))
    watcher.connect()
    assert watcher.sent[-1] == {"t": "watch", "ref": 4, "code": CODE}
    assert_knows_the_table(watcher)


def test_a_watch_that_was_on_its_way_is_not_asked_for_twice() -> None:
    watcher = Player(Loopback(), "Zoe")
    watcher.connect()
    watcher.session.watch(code=CODE)
    watcher.flush()
    watcher.take(watcher.server.hear("Zoe", watcher.session.hello()))
    again = watcher.session.take_outbox()[-1]  # lost on the way
    watcher.connect()
    assert watcher.sent[-1] == again
    assert watcher.sent[-2]["t"] == "hello"
    assert watcher.session.outstanding == {}


def test_a_watched_table_that_may_not_be_watched_again_is_gone() -> None:
    watcher = Player(Loopback(), "Zoe")
    watcher.connect()
    watcher.session.watch(code=CODE)
    watcher.flush()
    (hello,) = [watcher.session.hello()]
    watcher.session.take_outbox()
    watcher.take(watcher.server.hear("Zoe", hello))
    (again,) = watcher.session.take_outbox()
    watcher.take([on_the_wire(refused(again["ref"], "no_such_table", "no such table"))])
    assert watcher.only(TableGone) == [TableGone(TABLE)]
    watcher.connect()
    assert watcher.sent[-1]["t"] == "hello"


# ── leaving, and what else is heard ──────────────────────────────────────────────────────────────────────────────────


def test_leaving_ends_the_following() -> None:
    server, player = seated_player()
    player.session.leave(TABLE)
    player.flush()
    assert player.session.tables == {}
    assert player.only(TableGone) == [TableGone(TABLE)]
    player.take([server.entry("Ann", server.seq)])
    assert player.session.outbox == []


def test_losing_the_seat_ends_the_following() -> None:
    server, player = seated_player()
    server.append(Unseated(0))
    player.listen()
    assert player.only(EventsArrived)[-1].events == (Unseated(0),)
    assert player.only(TableGone) == [TableGone(TABLE)]


def test_unwatching_ends_the_following() -> None:
    watcher = Player(Loopback(), "Zoe")
    watcher.connect()
    watcher.session.watch(table=TABLE)
    watcher.session.unwatch(TABLE)
    watcher.flush()
    assert watcher.session.tables == {}
    watcher.connect()
    assert watcher.sent[-1]["t"] == "hello"


@pytest.mark.parametrize("by_notice", [False, True])
def test_a_closed_table_is_gone_with_its_reason(by_notice: bool) -> None:  # noqa: FBT001 - pytest gives it
    server, player = seated_player()
    if by_notice:
        player.take([on_the_wire(notice("table_closed", "abandoned", table=TABLE))])
    else:
        server.append(TableClosed("abandoned"))
        player.listen()
    assert player.only(TableGone) == [TableGone(TABLE, "abandoned")]


def test_a_notice_of_a_drain_is_kept_for_the_reconnect() -> None:
    _, player = seated_player()
    player.take([on_the_wire(notice("drain", "restarting", retry_ms=2000))])
    assert player.updates[-1] == Noticed("drain", "restarting", None, 2000)
    assert player.session.drain_retry_ms == 2000
    player.connect()
    assert player.session.drain_retry_ms is None


def test_a_table_that_stands_still_is_kept() -> None:
    server, player = seated_player()
    player.take([on_the_wire(notice("degraded", "the end of its record was lost", table=TABLE))])
    assert player.only(Noticed)[0].table == TABLE
    assert_knows_the_table(player)
    assert server.seq == player.at_table.seq


def test_presence_is_folded_into_the_table() -> None:
    _, player = seated_player()
    player.take([on_the_wire(presence(TABLE, 0, online=False))])
    assert player.updates[-1] == PresenceChanged(TABLE, 0, online=False)
    assert not player.at_table.info["seats"][0]["online"]
    player.take([on_the_wire(presence("elsewhere", 0, online=False))])
    assert len(player.only(PresenceChanged)) == 1


def test_chat_has_a_line_to_show() -> None:
    _, player = seated_player()
    player.take(
        [
            on_the_wire(chat(TABLE, 2, "Bob", text="hi")),
            on_the_wire(chat(TABLE, None, "Zoe", preset="good_game")),
        ]
    )
    said, preset = player.only(Chatted)
    assert (said.seat, said.name, said.line) == (2, "Bob", "hi")
    assert (preset.seat, preset.line) == (None, "Good game!")


def test_what_a_newer_server_adds_is_ignored() -> None:
    server, player = seated_player()
    server.start()
    player.listen()
    player.take(
        [
            {"t": "fireworks", "table": TABLE},
            {"no": "name"},
            {"t": ["list"]},
            {
                "t": "event",
                "table": TABLE,
                "seq": server.seq + 1,
                "colour": "red",
                "events": [{"e": "sneezed", "seat": 1}, {"e": "passed", "seat": 1, "loudly": True}],
            },
        ]
    )
    assert len(player.only(EventsArrived)[-1].events) == 1
    assert player.at_table.seq == server.seq + 1
    assert player.at_table.view.calls[0][0] == 1


@pytest.mark.parametrize(
    "message",
    [
        {"t": "event", "table": TABLE, "seq": 2},
        {"t": "event", "table": TABLE, "seq": "2", "events": []},
        {"t": "event", "table": TABLE, "seq": 2, "events": [{}]},
        {"t": "event", "table": TABLE, "seq": 2, "events": [{"e": "card_played", "seat": 1}]},
        {"t": "event", "table": TABLE, "seq": 2, "events": [{"e": "went_away", "seat": 9}]},
        {"t": "view", "table": TABLE, "seq": 2, "view": {"table": None, "game": None}},
        {"t": "prompt", "table": TABLE},
        {"t": "presence", "table": TABLE, "seat": 9, "online": True},
        {"t": "ok", "ref": "1"},
        {"t": "welcome", "ref": 1},
    ],
)
def test_a_server_that_breaks_the_wire_is_found_out(message: dict[str, Any]) -> None:
    _, player = seated_player()
    before = player.at_table
    with pytest.raises(ProtocolViolationError, match="the server sent a"):
        player.take([message])
    assert player.at_table == before


def test_a_worker_question_is_none_of_a_players_business() -> None:
    _, player = seated_player()
    updates = len(player.updates)
    player.take(
        [
            {
                "t": "decide",
                "id": 1,
                "rules": {},
                "view": {},
                "legal": ["pass"],
                "level": "easy",
                "seed": 1,
                "deadline_ms": 100,
            }
        ]
    )
    assert len(player.updates) == updates


def test_every_command_is_a_message_of_the_protocol() -> None:
    """What the session says, the server's half can read."""
    server, player = seated_player()
    session = player.session
    create: dict[str, Any] = {"preset": "screw", "rules": {"target": 5}, "visibility": "private", "clock": "none"}
    create |= {"bots": "easy", "spectators": False, "bots_stay": True, "name": "Ours", "seed": 7}
    said: list[tuple[dict[str, Any], dict[str, Any]]] = [
        (session.whose("a-token"), {"token": "a-token"}),
        (session.renew_token(), {}),
        (session.register_bot("Deep Barn", version="1.2"), {"name": "Deep Barn", "version": "1.2"}),
        (session.revoke_bot("Deep Barn"), {"name": "Deep Barn"}),
        (session.list_bots(), {}),
        (session.list_tables("open"), {"filter": "open"}),
        (session.create(**create), create),
        (session.join(table=TABLE, seat=3), {"table": TABLE, "seat": 3}),
        (session.fill(TABLE, seat=2, level="easy"), {"table": TABLE, "seat": 2, "level": "easy"}),
        (session.start(TABLE), {"table": TABLE}),
        (session.act(TABLE, 4, "pass"), {"table": TABLE, "turn": 4, "action": "pass"}),
        (session.away(TABLE, on=True), {"table": TABLE, "on": True}),
        (session.entropy(TABLE, "luck"), {"table": TABLE, "text": "luck"}),
        (session.more_time(TABLE, 4), {"table": TABLE, "turn": 4}),
        (session.say(TABLE, "Hello!"), {"table": TABLE, "text": "Hello!"}),
        (session.say_preset(TABLE, "thanks"), {"table": TABLE, "preset": "thanks"}),
        (session.hint(TABLE), {"table": TABLE}),
        (session.game(TABLE, "g1"), {"table": TABLE, "game": "g1"}),
        (session.games(before=7), {"before": 7}),
        (session.analyse(TABLE, 1, game="g1"), {"table": TABLE, "hand": 1, "game": "g1"}),
        (session.watch(code=CODE), {"code": CODE}),
        (session.unwatch(TABLE), {"table": TABLE}),
        (session.leave(TABLE), {"table": TABLE}),
        (session.ping(), {}),
    ]
    commands = session.take_outbox()
    assert commands == [command for command, _ in said]
    for command, fields in said:
        assert command == {"t": parse_client_message(command).t, "ref": command["ref"], **fields}
    kinds = {get_args(kind.model_fields["t"].annotation)[0] for kind in get_args(Asking)}
    assert {command["t"] for command in commands} == kinds - {"hello", "sync", "work"}
    assert server.seq == 1


# ── everything at once ───────────────────────────────────────────────────────────────────────────────────────────────

mishaps = st.sampled_from(["heard", "heard", "heard", "lost", "twice", "late", "cut", "cut before answer", "forgotten"])


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32), happens=st.lists(mishaps, min_size=10, max_size=80))
def test_whatever_is_lost_repeated_or_cut_the_client_ends_with_the_servers_view(seed: int, happens: list[str]) -> None:
    """C5, C6, C7: one decision a turn, and the fold equals the view after every reconnect."""
    server, player = seated_player(seed, target=2)
    server.start()
    player.listen()
    kept: list[dict[str, Any]] = []
    acted = 0
    for mishap in happens:
        if not server.prompt(player.name):
            break
        prompt = player.at_table.prompt
        if prompt is not None and prompt["seat"] == 0 and not player.session.outstanding:
            player.session.act(TABLE, prompt["turn"], prompt["legal"][0])
            player.flush(lose_answers=mishap == "cut before answer")
            acted += 1
        elif server.prompt(player.name)[0]["seat"] != 0:
            server.play()
        if mishap in {"cut", "cut before answer"}:
            player.connect()
        elif mishap == "forgotten":
            server.outlived = server.seq
        elif mishap == "lost":
            player.heard = server.seq
        elif mishap == "late":
            kept = server.news(player.name, player.heard)
        elif mishap == "twice":
            player.take(server.news(player.name, 0))
            player.flush()
        else:
            player.listen()
            player.take(kept)
            player.flush()
    player.connect()
    assert player.session.outstanding == {}
    assert_knows_the_table(player)
    acts = [key for key, (message, _) in server.done.items() if message.t == "act"]
    assert len(acts) <= acted
