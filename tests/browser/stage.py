"""A server that only says what a test puts on its stage: one table, at one decision of a game of the engine."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Page, WebSocketRoute, expect

from engine.actions import Action, parse_action
from engine.events import Events
from engine.game import apply, deal, legal_actions, to_act
from engine.plain import event_to_plain, view_to_plain
from engine.rules import Rules, rules_to_plain
from engine.state import AwaitingDeal, Game
from engine.view import redact_all, view_for
from tests.engine.table import stacked_deck

TABLE = "t1"
NAMES = ("Ann", "Basil", "Clara", "Dexter")


class Stage:
    """What the page hears instead of a server: *game* as *seat* sees it; the actions it takes are applied to it."""

    def __init__(
        self, page: Page, game: Game, seat: int, *, preset: str = "standard",
        names: tuple[str, ...] = NAMES, left_ms: int | None = None, bank_ms: int | None = None,
        gift_ms: int | None = None,
    ) -> None:  # fmt: skip
        self.page, self.game, self.seat, self.preset = page, game, seat, preset
        self.seq = self.turn = 5
        self.names, self.left_ms, self.bank_ms, self.gift_ms = names, left_ms, bank_ms, gift_ms
        self.asked: list[dict[str, Any]] = []
        """All that the page said, but for its greetings."""
        self.answers: dict[str, dict[str, Any]] = {}
        """Fields of the answer to each kind of message, beyond `ok`; with a `t` it replaces that."""
        self._route: WebSocketRoute | None = None
        page.route_web_socket("**/ws", self._connected)
        page.goto(f"{page.url.split('#')[0]}#t={TABLE}")
        page.reload()
        expect(page.locator("#table")).to_be_visible()

    @property
    def taken(self) -> list[str]:
        """The actions the page took."""
        return [message["action"] for message in self.asked if message["t"] == "act"]

    def go_on(self, text: str) -> None:
        """Let the seat to act do *text*, and tell the page."""
        self.tell(self._apply(parse_action(text)))

    def deal(self) -> None:
        """Deal the next hand, and tell the page."""
        stage = self.game.stage
        assert isinstance(stage, AwaitingDeal)
        self.game, events = deal(self.game, stacked_deck(self.game.standing.rules), dealer=stage.dealer or 0)
        self.tell(events)

    def tell(self, events: Events) -> None:
        """Tell the page of *events*, and what is asked next."""
        rules = self.game.standing.rules
        self.turn = self.seq + 1
        self.tell_plain(*(event_to_plain(seen) for seen in redact_all(events, self.seat, rules)))

    def tell_plain(self, *events: dict[str, Any]) -> None:
        """Tell the page of *events* as they are on the wire, and what is asked."""
        self.seq += 1
        self.send({"t": "event", "table": TABLE, "seq": self.seq, "events": list(events)}, *self._prompt())

    def _apply(self, action: Action) -> Events:
        seat = to_act(self.game)
        assert seat is not None
        self.game, events = apply(self.game, seat, action)
        return events

    def _connected(self, route: WebSocketRoute) -> None:
        self._route = route
        route.on_message(lambda text: self._heard(json.loads(text)))

    def _heard(self, message: dict[str, Any]) -> None:
        if message["t"] == "hello":
            self.send(self._welcome(message["ref"]), self._view(), *self._prompt())
            return
        self.asked.append(message)
        answer = self.answers.get(message["t"], {})
        self.send({"t": "ok", "ref": message["ref"], "tables": [], "table": TABLE} | answer)
        if message["t"] == "act" and "t" not in answer:
            self.go_on(message["action"])

    def send(self, *messages: dict[str, Any]) -> None:
        """Let the page hear *messages*."""
        assert self._route is not None
        self._route.send(json.dumps(messages))

    def _welcome(self, ref: int) -> dict[str, Any]:
        return {
            "t": "welcome", "ref": ref, "player": {"id": "p", "name": "Ann", "kind": "human"}, "token": "x",
            "next_ref": 100, "limits": {}, "tables": [{"table": TABLE, "code": "KQ7M", "seat": self.seat}],
            "server": {"name": "stage", "version": "0"},
        }  # fmt: skip

    def _view(self) -> dict[str, Any]:
        rules: Rules = self.game.standing.rules
        seats = [
            {"seat": seat, "kind": "human" if seat == self.seat else "bot", "name": name, "level": None,
             "version": None, "owner": None, "away": False, "online": True}
            for seat, name in enumerate(self.names)
        ]  # fmt: skip
        info = {
            "id": TABLE, "code": "KQ7M", "name": "Stage", "preset": self.preset, "rules": rules_to_plain(rules),
            "visibility": "private", "clock": {"name": "none", "turn_ms": None, "bank_ms": None}, "bots": "standard",
            "spectators": True, "bots_stay": False, "host": self.seat, "state": "playing", "commit": None,
            "seats": seats, "watchers": 0,
        }  # fmt: skip
        game = view_to_plain(view_for(self.game, self.seat))
        return {"t": "view", "table": TABLE, "seq": self.seq, "view": {"table": info, "game": game}}

    def _prompt(self) -> list[dict[str, Any]]:
        seat = to_act(self.game)
        if seat is None:
            return []
        prompt: dict[str, Any] = {
            "t": "prompt", "table": TABLE, "seq": self.seq, "turn": self.turn, "seat": seat,
            "phase": str(self.game.stage.phase), "left_ms": self.left_ms, "bank_ms": self.bank_ms,
        }  # fmt: skip
        mine = {"legal": [str(action) for action in legal_actions(self.game)]} if seat == self.seat else {}
        gift = {} if self.gift_ms is None else {"gift_ms": self.gift_ms}
        return [prompt | gift | mine]
