"""What a client reads from a server: checked against the field tables, tolerant of what a newer server adds."""

from __future__ import annotations

from typing import Any, Final, cast

from pydantic import TypeAdapter, ValidationError

from protocol.codes import CloseCode
from protocol.errors import ProtocolViolationError
from protocol.outgoing import (
    Chat,
    Decide,
    EventMessage,
    Notice,
    Ok,
    Pong,
    Presence,
    Prompt,
    Refused,
    ServerMessage,
    ViewMessage,
    Weigh,
    Welcome,
)

_ADAPTERS: Final[dict[object, TypeAdapter[Any]]] = {
    "ok": TypeAdapter(Ok),
    "refused": TypeAdapter(Refused),
    "welcome": TypeAdapter(Welcome),
    "pong": TypeAdapter(Pong),
    "event": TypeAdapter(EventMessage),
    "view": TypeAdapter(ViewMessage),
    "prompt": TypeAdapter(Prompt),
    "presence": TypeAdapter(Presence),
    "chat": TypeAdapter(Chat),
    "notice": TypeAdapter(Notice),
    "decide": TypeAdapter(Decide),
    "weigh": TypeAdapter(Weigh),
}


def parse_server_message(plain: dict[str, Any]) -> ServerMessage | None:
    """Read one message of a server's frame, without the fields we do not know; None for a ``t`` we do not know.

    Raises ProtocolViolationError for a message of ours that lacks a field or has one of another type.
    """
    kind = plain.get("t")
    adapter = _ADAPTERS.get(kind) if isinstance(kind, str) else None
    if adapter is None:
        return None
    try:
        return cast("ServerMessage", adapter.validate_python(plain, strict=True))
    except ValidationError as error:
        where = ".".join(str(step) for step in error.errors(include_url=False, include_input=False)[0]["loc"])
        detail = f"the server sent a `{kind}` whose `{where}` is not as documented"
        raise ProtocolViolationError(CloseCode.PROTOCOL_VIOLATION, detail) from None
