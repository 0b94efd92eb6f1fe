"""docs/bot-authors.md: all its code runs, as it stands there."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import shutil
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path

import pytest

from bots.sdk.scenes import SCENES
from bots.sdk.stdio import question
from clients.cli.main import main
from engine.game import legal_actions
from engine.view import view_for
from tests.support_server import EUCHRE, serving

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "bot-authors.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
CLASSES = {re.findall(r"^class (\w+)\(Bot\)", code, re.MULTILINE)[0]: code for kind, code in BLOCKS if kind == "python"}
COMMANDS = [line for kind, code in BLOCKS if kind == "sh" for line in code.splitlines()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "my_bot.py").write_text(CLASSES["MyBot"])
    shutil.copy(ROOT / "examples" / "bot.mjs", tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", CLASSES)
def test_every_class_plays_everything_without_a_finding(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name.lower()}.py"
    path.write_text(CLASSES[name])
    assert main(["bot", "check", f"{path}:{name}"]) == 0


async def test_every_command_does_what_it_says(folder: Path) -> None:
    """On a server for authors, as the page has it; a bot that would play on for ever plays one game."""
    has_node = shutil.which("node") is not None
    async with serving(folder / "server", "--dev") as server:
        for line in COMMANDS:
            program, *words = shlex.split(line.replace("ws://127.0.0.1:8765/ws", server.ws))
            assert program == "euchre"
            if words[0] == "serve" or (not has_node and "node" in line):
                assert "--dev" in words or not has_node
                continue
            if words[:2] == ["bot", "run"]:
                words += ["--games", "1"]
                words += [] if "--server" in words else ["--server", server.ws]
            await run(folder, *words)
    assert json.loads((folder / "figures.json").read_text())["hands"] == 40
    assert (folder / "worst").is_dir()


async def run(folder: Path, *words: str) -> None:
    environment = os.environ | {"XDG_STATE_HOME": str(folder / "state")}
    process = await asyncio.create_subprocess_exec(
        EUCHRE, *words, cwd=folder, env=environment, stdout=PIPE, stderr=STDOUT
    )
    out, _ = await process.communicate()
    assert process.returncode == 0, f"{shlex.join(words)}\n{out.decode()}"


def test_the_line_of_the_page_is_one_that_is_asked() -> None:
    shown = next(json.loads(code) for kind, code in BLOCKS if kind == "json")
    scene = next(scene for scene in SCENES if scene.name == "alone against two")
    game = scene.game()
    asked = json.loads(json.dumps(question(view_for(game, 0), legal_actions(game), scene.rules, seed=7)))
    assert shown["rules"].items() <= asked["rules"].items()
    assert shown | {"rules": asked["rules"]} == asked
