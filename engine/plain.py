"""Events and views as plain structures (dicts, tuples, strings, numbers) for JSON and msgpack, and back.

An event is ``{"e": kind, …its fields}``; kinds are the snake-case names of the classes.
"""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any, Final, cast, get_args

from engine.actions import parse_action
from engine.events import Event, HandScored, HandsRevealed, Reason
from engine.state import Phase, UpcardFate
from engine.view import TrickSeen, View

_EVENT_TYPES: Final = cast("tuple[type[Event], ...]", get_args(Event))


def kind_of(event_type: type) -> str:
    """Return the kind of an event, as it is told: the snake-case name of its class."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event_type.__name__).lower()


_KIND: Final[dict[type[Event], str]] = {event_type: kind_of(event_type) for event_type in _EVENT_TYPES}
_TYPE: Final[dict[str, type[Event]]] = {kind: event_type for event_type, kind in _KIND.items()}
_FIELDS: Final[dict[type[Event], tuple[str, ...]]] = {
    event_type: tuple(field.name for field in fields(event_type)) for event_type in _EVENT_TYPES
}
EVENT_KINDS: Final = frozenset(_TYPE)


def event_to_plain(event: Event) -> dict[str, object]:
    """Return *event* as a plain dict with its kind under ``"e"``."""
    event_type = type(event)
    plain: dict[str, object] = {"e": _KIND[event_type]}
    for name in _FIELDS[event_type]:
        plain[name] = getattr(event, name)
    if event_type is HandScored:
        plain["reason"] = str(plain["reason"])
    return plain


def event_from_plain(plain: dict[str, object]) -> Event | None:
    """Read an event as `event_to_plain` writes it; None for a kind this engine does not know.

    Raises KeyError where a field is missing. Unknown fields are ignored, so that a newer server can add some.
    """
    event_type = _TYPE.get(cast("str", plain["e"]))
    if event_type is None:
        return None
    return _make(event_type, plain)


def _make(event_type: type[Event], plain: dict[str, object]) -> Event:
    values: dict[str, Any] = {name: as_tuples(plain[name]) for name in _FIELDS[event_type]}
    if event_type is HandScored:
        values["reason"] = Reason(values["reason"])
    return event_type(**values)


def as_tuples(plain: object) -> object:
    """Return *plain* with every list made a tuple, all the way down."""
    if isinstance(plain, list | tuple):
        return tuple(as_tuples(item) for item in plain)
    return plain


_VIEW_FIELDS: Final = tuple(field.name for field in fields(View))


def view_to_plain(view: View) -> dict[str, object]:
    """Return *view* as a plain dict with the View's field names."""
    plain: dict[str, object] = {name: getattr(view, name) for name in _VIEW_FIELDS}
    plain["phase"] = None if view.phase is None else str(view.phase)
    plain["upcard_fate"] = None if view.upcard_fate is None else str(view.upcard_fate)
    plain["calls"] = tuple((seat, str(action)) for seat, action in view.calls)
    plain["tricks"] = tuple({"winner": trick.winner, "cards": trick.cards} for trick in view.tricks)
    plain["result"] = None if view.result is None else _without_kind(view.result)
    plain["revealed"] = None if view.revealed is None else _without_kind(view.revealed)
    return plain


def _without_kind(event: Event) -> dict[str, object]:
    plain = event_to_plain(event)
    del plain["e"]
    return plain


def view_from_plain(plain: dict[str, object]) -> View:
    """Read a view as `view_to_plain` writes it. Raises KeyError, ValueError or IllegalActionError where it is none."""
    values: dict[str, Any] = {name: as_tuples(plain[name]) for name in _VIEW_FIELDS}
    values["phase"] = None if values["phase"] is None else Phase(values["phase"])
    values["upcard_fate"] = None if values["upcard_fate"] is None else UpcardFate(values["upcard_fate"])
    values["calls"] = tuple((seat, parse_action(text)) for seat, text in values["calls"])
    values["tricks"] = tuple(
        TrickSeen(trick["winner"], cast("Any", as_tuples(trick["cards"]))) for trick in values["tricks"]
    )
    if values["result"] is not None:
        values["result"] = _make(HandScored, values["result"])
    if values["revealed"] is not None:
        values["revealed"] = _make(HandsRevealed, values["revealed"])
    return View(**values)
