"""What is wrong with a message, said in one short line that repeats nothing but names of our own fields."""

from __future__ import annotations

import re
from typing import Any, Final

from pydantic import ValidationError

from protocol.codes import RefusalCode

_OUR_KIND_OF_NAME: Final = re.compile(r"[a-z_]{1,24}", re.ASCII)

_WORDING: Final[dict[str, str]] = {
    "missing": "is missing",
    "int_type": "must be a whole number",
    "bool_type": "must be true or false",
    "string_type": "must be text",
    "dict_type": "must be an object",
    "greater_than_equal": "must be {ge} or more",
    "less_than_equal": "must be {le} or less",
    "string_too_short": "must not be empty",
    "string_too_long": "must be {max_length} characters or shorter",
    "too_long": "must have {max_length} entries or fewer",
    "string_pattern_mismatch": "is not written as it should be",
    "string_unicode": "is not proper text",
    "literal_error": "must be {expected}",
    "invalid_key": "has a name that is not text",
}

_SHAPES: Final[dict[int | str, str]] = {
    "action": "must be an action's text or its object",
    "rules": "must map names of rules to numbers, words, true or false",
    "resume": "must map ids of tables to numbers from 0 up",
}
"""For fields of more than one part: naming the part would mean repeating what the client made up."""


def describe(error: ValidationError) -> tuple[RefusalCode, str]:
    """Return the refusal code for *error* and a line that names the first field at fault."""
    first = error.errors(include_url=False, include_input=False)[0]
    kind, path = first["type"], first["loc"]
    context: dict[str, Any] = first.get("ctx", {})
    match kind:
        case "union_tag_invalid":
            return RefusalCode.UNKNOWN_MESSAGE, "no message has this `t`"
        case "union_tag_not_found":
            return RefusalCode.BAD_MESSAGE, "`t` is missing"
        case "model_attributes_type" | "model_type":
            return RefusalCode.BAD_MESSAGE, "a message must be an object"
        case "value_error":
            return RefusalCode.BAD_MESSAGE, str(context["error"])
        case "extra_forbidden":
            return RefusalCode.BAD_MESSAGE, f"{_name_of(path)} is not a field of `{path[0]}`"
        case _ if len(path) > 2 and path[1] in _SHAPES:
            return RefusalCode.BAD_MESSAGE, f"`{path[1]}` {_SHAPES[path[1]]}"
        case _:
            wording = _WORDING.get(kind, "is not what it should be").format_map(context)
            return RefusalCode.BAD_MESSAGE, f"{_name_of(path)} {wording}"


def _name_of(path: tuple[int | str, ...]) -> str:
    """Return the field's name where it looks like one of ours; what a client made up is not repeated."""
    field = path[1] if len(path) > 1 else ""
    return f"`{field}`" if isinstance(field, str) and _OUR_KIND_OF_NAME.fullmatch(field) else "a field"
