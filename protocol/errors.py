"""What a peer can do wrong on the wire."""

from __future__ import annotations

from protocol.codes import CloseCode, RefusalCode


class ProtocolViolationError(ValueError):
    """The peer broke the wire.

    ``code`` says what follows: a RefusalCode is answered with ``refused`` and the connection goes on, a CloseCode ends
    the connection. ``detail`` is one short line in plain words that holds nothing of the input beyond names of fields.
    ``ref`` is the message's own, or None where none could be read.
    """

    def __init__(self, code: RefusalCode | CloseCode, detail: str, ref: int | None = None) -> None:
        self.code = code
        self.detail = detail
        self.ref = ref
        super().__init__(detail)


class UnfitTextError(ValueError):
    """A name or a line of chat that nobody should have to read.

    ``code`` is BAD_NAME or, for chat, BAD_MESSAGE; ``detail`` says why, without repeating the text.
    """

    def __init__(self, code: RefusalCode, detail: str) -> None:
        self.code = code
        self.detail = detail
        super().__init__(detail)
