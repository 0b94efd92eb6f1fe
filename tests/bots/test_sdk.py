"""What an author's bot may do, and what is made of one that does it badly."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from bots.sdk.bot import Bot, BotFaultError, read_answer, rule_of_thumb
from bots.sdk.hosting import Host
from bots.sdk.loading import LoadError, load_class, load_program
from bots.sdk.scenes import SCENES
from bots.sdk.stdio import question
from engine.actions import ORDER, PASS, PLAYS, Action
from engine.cards import Card
from engine.game import legal_actions, phase_of, to_act
from engine.rules import PRESETS, rules_to_plain
from engine.state import Game, Phase
from engine.view import View, view_for
from tests.bots import programs

GUESTS = Path(__file__).with_name("guests.py")
EXAMPLES = Path(__file__).parents[2] / "examples"
FIRST_BID = SCENES[0].game()


@contextmanager
def hosted(bot: Bot) -> Iterator[Host]:
    host = Host()
    try:
        yield host
    finally:
        host.end(bot)
        host.close()


def ask(host: Host, bot: Bot, game: Game = FIRST_BID, *, limit_s: float = 10) -> Action:
    seat = to_act(game)
    assert seat is not None
    return host.decide(bot, view_for(game, seat), legal_actions(game), game.standing.rules, seed=1, limit_s=limit_s)


def fault(host: Host, bot: Bot, game: Game = FIRST_BID, *, limit_s: float = 10) -> tuple[str, str]:
    with pytest.raises(BotFaultError) as caught:
        ask(host, bot, game, limit_s=limit_s)
    return caught.value.kind, caught.value.detail


def guest(name: str) -> Bot:
    return load_class(f"{GUESTS}:{name}").make()


# ── answers ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("answer", [PASS, "pass", " Pass "])
def test_an_answer_is_an_action_or_its_text(answer: object) -> None:
    assert read_answer(answer, (PASS, ORDER)) == PASS


@pytest.mark.parametrize("answer", ["order", "", "play", None, 3, PLAYS[Card("9s")], "x" * 500])
def test_an_answer_that_is_not_legal_is_a_fault_that_says_what_is(answer: object) -> None:
    with pytest.raises(BotFaultError, match="legal: pass, play 9h") as caught:
        read_answer(answer, (PASS, PLAYS[Card("9h")]))
    assert caught.value.kind == "illegal"
    assert len(caught.value.detail) < 200


# ── in Python ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_bot_that_decides_nothing_plays_by_rules_of_thumb() -> None:
    bot = Bot()
    with hosted(bot) as host:
        for scene in SCENES:
            game = scene.game()
            seen = view_for(game, scene.seat)
            assert ask(host, bot, game) == rule_of_thumb(seen, legal_actions(game), scene.rules), scene.name


def test_every_kind_of_decision_has_its_method() -> None:
    asked: list[str] = []
    names = ("name_trump", "bid", "discard", "alone", "give", "defend", "play")

    def method(name: str) -> Any:
        def decide(_self: Bot, _view: View, legal: Sequence[Action]) -> Action:
            asked.append(name)
            return legal[0]

        return decide

    bot = type("Noting", (Bot,), {name: method(name) for name in names})()
    with hosted(bot) as host:
        for scene in SCENES:
            ask(host, bot, scene.game())
    assert set(asked) == set(names)


def test_a_bot_may_be_asynchronous_and_its_random_numbers_are_the_seeds() -> None:
    play = next(scene for scene in SCENES if scene.name == "a low game").game()
    bot = guest("Patient")
    with hosted(bot) as host:
        assert ask(host, bot, play) == ask(host, bot, play) == random.Random(1).choice(legal_actions(play))


def test_what_a_bot_does_wrong_is_a_fault_that_says_where() -> None:
    play = next(scene for scene in SCENES if scene.name == "claim").game()
    bot = guest("Broken")
    with hosted(bot) as host:
        assert ask(host, bot) == PASS
        kind, detail = fault(host, bot, play)
    assert (kind, detail.startswith("LookupError: no such trick (guests.py:")) == ("error", True)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Exits", "SystemExit: had enough (guests.py:"),
        ("GivesUp", "it cancelled itself"),
        ("TimesOut", "TimeoutError: no oracle (guests.py:"),
        ("Rambles", "ValueError: one line and another, one line"),
    ],
)
async def test_whatever_it_raises_is_a_fault_in_one_line_and_it_is_asked_again(name: str, text: str) -> None:
    bot = guest(name)
    with hosted(bot) as host:
        for _ in range(2):
            kind, detail = fault(host, bot)
            assert (kind, detail.startswith(text)) == ("error", True)
            assert len(detail.splitlines()[0]) == len(detail) < 400
        with pytest.raises(BotFaultError, match="error: ") as caught:
            await host.ask(bot, view_for(FIRST_BID, 0), legal_actions(FIRST_BID), SCENES[0].rules, seed=1)
        assert caught.value.detail.startswith(text)


def test_an_answer_that_can_be_neither_compared_nor_shown_is_a_fault() -> None:
    class Odd:
        def __eq__(self, other: object) -> bool:
            raise ArithmeticError

        __hash__ = None  # type: ignore[assignment]

        def __repr__(self) -> str:
            raise ArithmeticError

    with pytest.raises(BotFaultError, match="illegal: answered '<Odd instance"):
        read_answer(Odd(), (PASS, ORDER))


def test_what_a_bot_does_wrong_when_it_is_closed_is_told() -> None:
    host = Host()
    fault = host.end(guest("CannotClose"))
    assert fault is not None
    assert fault.detail.startswith("OSError: nothing to close (guests.py:")
    assert host.end(guest("Closes")) is None
    host.close()


def test_a_bot_that_waits_is_interrupted_and_asked_again() -> None:
    bot = guest("Sleeps")
    with hosted(bot) as host:
        for _ in range(2):
            assert fault(host, bot, limit_s=0.05) == ("late", "no answer within 0.05 s")


def test_a_bot_that_cannot_be_interrupted_holds_nobody_up() -> None:
    """It is late once, and not asked again before it is back."""
    bot = guest("Hangs")
    with hosted(bot) as host:
        assert fault(host, bot, limit_s=0.05) == ("late", "no answer within 0.05 s")
        assert fault(host, bot, limit_s=3600) == ("late", "still busy with an earlier decision")


async def test_waiting_for_a_bot_does_not_hold_up_the_event_loop() -> None:
    view, legal = view_for(FIRST_BID, 0), legal_actions(FIRST_BID)
    bot = guest("First")
    host = Host()
    assert await host.ask(bot, view, legal, SCENES[0].rules, seed=1) == PASS
    with pytest.raises(BotFaultError, match="late"):
        await host.ask(guest("Hangs"), view, legal, SCENES[0].rules, seed=1, limit_s=0.05)
    host.close()


# ── programs ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("command", [programs.GOOD, programs.QUOTES, programs.CHATTERS])
def test_a_program_in_any_language_answers_line_by_line(command: str) -> None:
    """What it chatters between its answers is passed over."""
    bot = load_program(command).make()
    with hosted(bot) as host:
        for scene in SCENES:
            game = scene.game()
            assert ask(host, bot, game) == legal_actions(game)[0], scene.name


@pytest.mark.parametrize(
    ("command", "kind", "detail"),
    [
        (programs.LIES, "illegal", "answered 'play 9x'; legal: pass, order, order alone"),
        (programs.DIES, "ended", "its output ended"),
        (programs.HANGS, "late", "no answer within 1 s"),
        (programs.FLOODS, "ended", "more than 1000 lines that are no answer"),
        (programs.LONG_LINE, "ended", "a line of more than 65536 bytes"),
        (programs.IGNORES_ITS_END, "late", "no answer within 1 s"),
    ],
)
def test_a_bad_program_is_a_fault_and_is_asked_again(command: str, kind: str, detail: str) -> None:
    bot = load_program(command).make()
    with hosted(bot) as host:
        for _ in range(2):
            told, why = fault(host, bot, limit_s=1 if kind == "late" else 10)
            assert told == kind
            assert detail in why or (kind == "ended" and "ended with status" in why)


def test_a_program_that_died_is_started_again() -> None:
    bot = load_program(programs.DIES_ONCE_IN_A_WHILE).make()
    with hosted(bot) as host:
        for _ in range(3):
            assert ask(host, bot) == PASS
        assert fault(host, bot)[0] == "ended"
        assert ask(host, bot) == PASS


def test_no_program_is_left_behind(tmp_path: Path) -> None:
    """Neither a good one, nor one that is late and will hear nothing."""
    for command in (programs.GOOD, programs.IGNORES_ITS_END):
        told = tmp_path / "pid"
        bot = _telling_its_pid(command, told)
        with hosted(bot) as host, suppress(BotFaultError):
            ask(host, bot, limit_s=1)
        assert _has_gone(int(told.read_text()))


def test_a_program_that_can_answer_no_more_is_ended_at_once(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    bot = _telling_its_pid(programs.CLOSES_ITS_OUTPUT, told)
    with hosted(bot) as host:
        assert ask(host, bot) == PASS
        assert _has_gone(int(told.read_text()))
        assert ask(host, bot) == PASS


def _telling_its_pid(command: str, told: Path) -> Bot:
    return load_program(command.replace("while", f"echo $$ > {told}; while", 1)).make()


def _has_gone(pid: int) -> bool:
    deadline = time.monotonic() + 5
    while _is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not _is_alive(pid)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_line_tells_all_a_seat_may_see_and_no_more() -> None:
    """As the documentation has it; a watcher's view with the seat's own cards."""
    scene = next(scene for scene in SCENES if scene.name == "alone against two")
    game = scene.game()
    told = json.loads(json.dumps(question(view_for(game, 0), legal_actions(game), scene.rules, seed=7)))
    assert told == {
        "seat": 0,
        "phase": "play",
        "dealer": 3,
        "hand": ["Jh", "Jd", "Ah", "Kc", "Qc"],
        "upcard": "9h",
        "upcard_fate": "taken",
        "calls": [[0, "order alone"]],
        "discard": None,
        "put_away": [],
        "given": None,
        "trump": "h",
        "maker": 0,
        "alone": [0],
        "sitting": [2],
        "shown": [],
        "plays": [[[1, "Ad"], [3, "Tc"]]],
        "won": [0, 0],
        "scores": [0, 0],
        "hands_scored": 0,
        "rules": rules_to_plain(scene.rules),
        "seed": 7,
        "legal": ["play Jh", "play Jd", "play Ah", "play Kc", "play Qc"],
    }


# ── loading ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_bot_has_its_own_name_or_that_of_its_class() -> None:
    assert (load_class(f"{GUESTS}:Patient").name, load_class(f"{GUESTS}:First").name) == ("patient", "First")
    assert load_class(f"{GUESTS}:First").version == "2"
    assert load_program("sh some/where/bot.sh").name == "bot"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nowhere.py:Bot", "there is no file nowhere.py"),
        (f"{GUESTS}:Nobody", "has no class Nobody derived from bots.Bot"),
        (f"{GUESTS}:NotABot", "has no class NotABot derived from bots.Bot"),
        (f"{GUESTS}", "it looks like my_bot.py:MyBot"),
        (f"{Path(__file__).with_name('broken_module.py')}:Bot", "there is no file"),
    ],
)
def test_there_is_no_such_class(text: str, why: str) -> None:
    with pytest.raises(LoadError, match=why):
        load_class(text)


def test_a_file_that_cannot_be_loaded(tmp_path: Path) -> None:
    path = tmp_path / "halfway.py"
    path.write_text("import nothing_of_that_name\n")
    with pytest.raises(LoadError, match=r"halfway.py cannot be loaded: ModuleNotFoundError"):
        load_class(f"{path}:Bot")


def test_bots_of_two_folders_do_not_share_their_neighbours(tmp_path: Path) -> None:
    """As when two versions of a bot are measured, each with modules of its own."""
    for version in ("old", "new"):
        folder = tmp_path / version
        (folder / "ideas").mkdir(parents=True)
        (folder / "ideas" / "__init__.py").write_text("from ideas.leads import VERSION\n")
        (folder / "ideas" / "leads.py").write_text(f"VERSION = {version!r}\n")
        (folder / "taste.py").write_text("import ideas\n")
        (folder / "mine.py").write_text(
            "from bots import Bot\nimport taste\nclass Mine(Bot):\n    version = taste.ideas.VERSION\n"
        )
    loaded = [load_class(f"{tmp_path / version}/mine.py:Mine").version for version in ("old", "old", "new", "old")]
    assert loaded == ["old", "old", "new", "old"]


def test_a_file_that_ends_the_program(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text("raise SystemExit(3)\n")
    with pytest.raises(LoadError, match=r"script.py cannot be loaded: SystemExit: 3"):
        load_class(f"{path}:Bot")


def test_a_bot_that_cannot_be_made() -> None:
    with pytest.raises(LoadError, match=r"NeedsMore cannot be made: TypeError: .* 'model'"):
        guest("NeedsMore")


@pytest.mark.parametrize("command", ["", "no-such-program --at all", "'unbalanced"])
def test_there_is_no_such_program(command: str) -> None:
    with pytest.raises(LoadError):
        load_program(command)


# ── the scenes of a check ────────────────────────────────────────────────────────────────────────────────────────────


def test_the_scenes_have_every_decision_and_every_preset_that_has_one_of_its_own() -> None:
    games = [scene.game() for scene in SCENES]
    assert {phase_of(game) for game in games} == set(Phase) - {Phase.DEAL, Phase.OVER}
    assert [to_act(game) for game in games] == [scene.seat for scene in SCENES]
    assert all(len(legal_actions(game)) > 1 for game in games)
    kinds = {type(action) for game in games for action in legal_actions(game)}
    assert len(kinds) == len(Action.__args__)
    assert {scene.preset for scene in SCENES} <= set(PRESETS)
    assert len({scene.name for scene in SCENES}) == len(SCENES)
