"""Whatever is in a file, a command does what it can or says in one line what is wrong, and never more than that."""

from __future__ import annotations

import codecs
from pathlib import Path
from random import Random
from typing import Final

import pytest

from clients.cli.main import main
from engine.interchange import FORMATS
from engine.rules import make_rules
from tests.engine.interchange.games import random_record
from tests.engine.interchange.test_bad_input import TEXTS, mutated

RECORD: Final = "\n".join(random_record(make_rules("british"), 5, hands=3, is_cut=False))
COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    "replay": (),
    "replay --json": ("--json",),
    "verify": (),
    "export": ("--to", "ptn"),
    "import": (),
}
FILES: Final = 80


def spoiled(text: str, rng: Random) -> bytes:
    """Return a file that was whole: changed in places, mixed with another, or in another encoding."""
    match rng.randrange(8):
        case 0:
            return codecs.BOM_UTF8 + text.encode()
        case 1:
            return text.encode(rng.choice(("utf-16", "utf-16-be", "utf-32", "utf-7")))
        case 2:
            return f"{text}\nGr\u00fc\u00dfe".encode("latin-1", errors="replace")
        case 3:
            return text.encode().replace(b"a", b"\0", 1)
        case 4:
            other = rng.choice([RECORD, *(text for _, text in TEXTS)]).split("\n")
            lines = text.split("\n")
            at = rng.randrange(len(lines) + 1)
            return "\n".join([*lines[:at], *other, *lines[at:]]).encode()
        case _:
            return mutated(text, rng).encode(errors="replace")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_spoiled_file_is_used_or_refused_in_one_line(
    command: str, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Status 0, or 1 with the file and what is wrong; a verdict or a JSON line is on standard output."""
    file = tmp_path / "game"
    refused = 0
    for seed in range(FILES):
        rng = Random(seed)
        text = rng.choice(TEXTS)[1] if command == "import" else RECORD
        file.write_bytes(spoiled(text, rng))
        status = main([command.split(maxsplit=1)[0], str(file), *COMMANDS[command]])
        shown = capsysbinary.readouterr()
        said = [line for line in shown.err.decode().splitlines() if not line.startswith("lost: ")]
        assert status in {0, 1}, seed
        assert len(said) == (status == 1 and command in {"replay", "verify", "export", "import"}), (seed, said)
        assert all(line.startswith(f"euchre: {file}: ") for line in said)
        refused += status
    assert FILES // 4 < refused < FILES


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    file.write_bytes(codecs.BOM_UTF8 + RECORD.encode())
    for command in (["replay"], ["verify"], ["export", "--to", "text"]):
        assert main([command[0], str(file), *command[1:]]) == 0


@pytest.mark.parametrize("command", ["replay", "verify", "analyse"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le"])
def test_a_record_in_utf_16_is_told_to_be_utf_8(
    command: str, encoding: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a byte order mark, and without."""
    file = tmp_path / "game.jsonl"
    file.write_text(RECORD, encoding=encoding)
    assert main([command, str(file)]) == 1
    assert capsys.readouterr().err == f"euchre: {file}: the file must be UTF-8; this one is UTF-16, or no text at all\n"


def test_a_game_in_another_format_is_pointed_to_import(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "game.egn"
    file.write_text(FORMATS["egn"].export(RECORD.split("\n"))[0], encoding="utf-8")
    assert main(["replay", str(file)]) == 1
    assert capsys.readouterr().err.endswith("; a game in another format is read by euchre import\n")
