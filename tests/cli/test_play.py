"""`euchre play` and `euchre watch` as a person meets them: in a terminal, against a real server with its bots."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pexpect
import pytest
import pytest_asyncio

from clients.cli.main import main
from tests.support_server import EUCHRE, PATIENCE_S, Server, free_port, serving

# pexpect starts the program with forkpty, and pytest's workers have threads (Python 3.12 and newer warn).
pytestmark = [
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
    pytest.mark.asyncio(loop_scope="module"),
]

ASKED: Final = "\r\n> "
"""The end of a question at a terminal."""
TO_PLAY: Final = re.compile(r"Your turn to (play|lead)\.")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    """One server for all tests that leave it running: every test's people are new to it."""
    async with serving(tmp_path_factory.mktemp("server")) as shared:
        yield shared


class Person:
    """Somebody at a terminal. ``seen`` is all that was shown, ``question`` what was shown since the last answer."""

    def __init__(self, home: Path, *arguments: str, **environment: str) -> None:
        self.seen = ""
        self.question = ""
        self._child: pexpect.spawn[str] = pexpect.spawn(
            EUCHRE,
            list(arguments),
            cwd=str(home),
            env=os.environ | {"XDG_STATE_HOME": str(home), "TERM": "xterm", "NO_COLOR": ""} | environment,
            dimensions=(40, 80),
            encoding="utf-8",
            timeout=PATIENCE_S,
        )
        self._child.delaybeforesend = None

    def sees(self, *texts: str) -> int:
        """Wait until one of *texts* is shown; return which."""
        which = self._child.expect_exact(list(texts))
        self._take(f"{self._child.before}{texts[which]}")
        return int(which)

    def _take(self, shown: str) -> None:
        self.question += shown
        self.seen += shown

    def is_asked(self) -> str:
        """Wait for a question; return it."""
        self.sees(ASKED)
        return self.question

    def types(self, text: str) -> None:
        self.question = ""
        self._child.sendline(text)

    def interrupts(self) -> None:
        """Press Ctrl-C."""
        self.question = ""
        self._child.sendintr()

    def hangs_up(self) -> None:
        """Close the terminal, and wait for the program to end of itself."""
        if self._child.isalive():
            self._child.ptyproc.fileobj.close()  # type: ignore[attr-defined]  # the stubs leave it out
            self._child.wait()
        self._child.close()

    def leaves(self) -> int:
        """Wait for the program to end; return its exit status."""
        self._child.expect(pexpect.EOF)
        self._take(f"{self._child.before}")
        self._child.close()
        assert self._child.exitstatus is not None, f"ended by signal {self._child.signalstatus}"
        return self._child.exitstatus


@contextmanager
def person(home: Path, *arguments: str, **environment: str) -> Iterator[Person]:
    """Let somebody type `euchre` with *arguments*; close the terminal in the end."""
    somebody = Person(home, *arguments, **environment)
    try:
        yield somebody
    finally:
        somebody.hangs_up()


def play_until(somebody: Person, text: str) -> None:
    """Answer every question with its first choice until *text* is shown."""
    while somebody.sees(ASKED, text) == 0:
        somebody.types("1")


def code_in(shown: str) -> str:
    found = re.search(r"--table ([A-Z0-9]{6})", shown)
    assert found, shown
    return found[1]


def meet_at_a_table(host: Person, guest: Person) -> str:
    """Have *host* make a table and *guest* join it, typing its code in small letters; return the code."""
    host.is_asked()
    host.types("2")
    code = code_in(host.is_asked())
    guest.is_asked()
    guest.types("5")
    guest.is_asked()
    guest.types(code.lower())
    return code


async def test_a_hand_is_played_by_typing_numbers(tmp_path: Path, server: Server) -> None:
    """From the menu through every decision of a hand to its score; Ctrl-C says how to come back, and that works."""
    await asyncio.to_thread(_play_a_hand, server, tmp_path)


def _play_a_hand(server: Server, home: Path) -> None:
    with person(home, "play", server.http, "--name", "Ann") as ann:
        question = ann.is_asked()
        assert "You are Ann" in question
        assert " 1. Play now, against bots" in question
        ann.types("1")
        question = ann.is_asked()
        assert "Hand 1." in question
        assert re.search(r"Score: us 0, them 0 \(to 10\)\. Dealer: ", question)
        assert re.search(r"^ 1\. ", question, re.MULTILINE)
        ann.types("1")
        play_until(ann, "Hand 2.")
        assert "Tricks: us" in ann.seen
        assert TO_PLAY.search(ann.seen)
        assert re.search(r"(We|They) (made|took|were euchred).*Score: us \d, them \d", ann.seen, re.DOTALL)
        ann.is_asked()
        for command, shown in COMMANDS:
            ann.types(command)
            ann.sees(shown)
            ann.is_asked()
        ann.interrupts()
        assert ann.leaves() == 0
        assert "A bot plays for you until you come back." in ann.question
        table = code_in(ann.question)
    with person(home, "play", server.ws, "--table", table, "--name", "Ann") as ann:
        assert f"code {table}" in ann.is_asked()
        assert "You: Ann" in ann.seen
        ann.types("leave")
        if ann.sees("You have left the table.", "Type leave again to leave") == 1:  # the bots are not through yet
            ann.types("leave")
            ann.sees("You have left the table.")
        assert " 1. Play now, against bots" in ann.is_asked()
        ann.types("quit")
        assert ann.leaves() == 0


COMMANDS: Final = (
    ("score", "Score: us "),
    ("hand", "Your hand: "),
    ("last", "Last trick: "),
    ("deal", "Upcard: "),
    ("who", "Partner: Clara (bot, standard)"),
    ("rules", "Standard rules, the standard game."),
    ("table", "Ann's table (standard rules, code "),
    ("?", "how the game stands, and your hand"),
    ("say well played, all", "You: well played, all"),
    ("record", "The server refuses: "),
    ("shuffle my own dice: 4", "The next deal is made from that text too."),
    (f"shuffle {'é' * 33}", "That text is too long: 64 bytes are the most."),
    ("shuffle", "The next deal is made without a text of yours."),
    ("gibberish", "Type a number or a card, or ? for help."),
    ("99", "Type a number from 1 to "),
)


@pytest.mark.parametrize(("no_color", "coloured"), [("1", False), ("", True)])
async def test_no_color_is_obeyed(tmp_path: Path, server: Server, no_color: str, coloured: bool) -> None:  # noqa: FBT001
    def plays() -> None:
        with person(tmp_path, "play", server.ws, "--quick", "--plain", NO_COLOR=no_color) as somebody:
            somebody.is_asked()
            somebody.interrupts()
            assert somebody.leaves() == 0
            assert set("♠♥♦♣") & set(somebody.seen)
            assert ("\x1b" in somebody.seen) == coloured

    await asyncio.to_thread(plays)


async def test_the_client_outlives_the_server(tmp_path: Path) -> None:
    """The server is killed in mid-hand and started again: the client comes back by itself, to the same question."""
    async with serving(tmp_path) as mortal:
        with person(tmp_path, "play", mortal.ws, "--quick", "--rule", "target=5") as somebody:
            await asyncio.to_thread(somebody.sees, "1 rule is not standard; type rules to read them.")

            def plays_until_a_trick_is_on() -> str:
                while not TO_PLAY.search(question := somebody.is_asked()):
                    somebody.types("1")
                return question

            question = await asyncio.to_thread(plays_until_a_trick_is_on)
            await mortal.kill()
            await asyncio.to_thread(somebody.sees, "Connection lost; trying again in ")
            somebody.types("say is anybody there?")
            await asyncio.to_thread(somebody.sees, "That was not said: there is no connection just now.")
            somebody.types("gibberish")
            await asyncio.to_thread(somebody.sees, "There is no connection just now.")
            await mortal.start()
            await asyncio.to_thread(somebody.sees, "Back at the table.")
            again = await asyncio.to_thread(somebody.is_asked)
            choices = re.compile(r"^ [-\d].*", re.MULTILINE)
            assert choices.findall(again.partition("Back at the table.")[2]) == choices.findall(question)
            somebody.types("1")
            await asyncio.to_thread(play_until, somebody, "Hand 2.")


async def test_a_restart_that_an_operator_announces_is_told_and_called_off(tmp_path: Path) -> None:
    """To who plays and who watches, and to who comes later."""
    async with serving(tmp_path) as server:

        def operator(*arguments: str) -> None:
            assert main(["admin", "restart", *arguments, "--data", str(server.data)]) == 0

        def talks() -> None:
            with person(tmp_path, "play", server.ws, "--quick", "--name", "Ann") as ann:
                ann.is_asked()
                ann.types("table")
                ann.sees("code ")
                code = re.search(r"code ([A-Z0-9]{6})\)", ann.is_asked())
                assert code
                operator("announce", "4")
                ann.sees(r" (in 4 min); your game goes on afterwards.")
                with person(tmp_path, "watch", code[1], server.ws, "--name", "Bo") as bo:
                    bo.sees("The server restarts at ")
                    operator("call-off")
                    for somebody in (ann, bo):
                        somebody.sees("The server does not restart after all.")

        await asyncio.to_thread(talks)


async def test_a_closed_terminal_leaves_the_seat_to_a_bot(tmp_path: Path, server: Server) -> None:
    """So the game goes on, and whoever watches sees that."""

    def plays() -> str:
        with person(tmp_path, "play", server.ws, "--quick", "--name", "Ann") as ann:
            ann.is_asked()
            ann.types("table")
            found = re.search(r"code ([A-Z0-9]{6})\)", ann.is_asked())
            assert found
        return found[1]

    code = await asyncio.to_thread(plays)

    def watches() -> None:
        with person(tmp_path, "watch", code, server.ws, "--name", "Bo") as bo:
            bo.sees("South: Ann (away, a bot plays)")
            bo.interrupts()
            assert bo.leaves() == 0

    await asyncio.to_thread(watches)


async def test_friends_meet_at_a_table(tmp_path: Path, server: Server) -> None:
    """One makes a table, another joins by its code, a third watches; each hears what the others do."""

    def meet() -> None:
        with (
            person(tmp_path, "play", server.ws, "--name", "Ann") as ann,
            person(tmp_path, "play", server.ws, "--name", "Bo") as bo,
        ):
            code = meet_at_a_table(ann, bo)
            assert "Waiting for Ann (right) to start a game." in bo.is_asked().replace("\r\n  ", " ")
            ann.sees("Bo (left) sits down.")
            bo.types("say hello")
            ann.sees("Bo (left): hello")
            with person(tmp_path, "watch", code, server.ws, "--name", "Cy") as cy:
                cy.sees("South: Ann")
                ann.types("1")
                bo.sees("The game begins.")
                cy.sees("Hand 1.")
                cy.types("say hello all")
                ann.sees("Cy (watching): hello all")
                cy.types("quit")
                assert cy.leaves() == 0

    await asyncio.to_thread(meet)


async def test_a_friend_who_thinks_is_given_time(tmp_path: Path, server: Server) -> None:
    def give() -> None:
        with (
            person(tmp_path, "play", server.ws, "--name", "Ann") as ann,
            person(tmp_path, "play", server.ws, "--name", "Bo") as bo,
        ):
            meet_at_a_table(ann, bo)
            ann.sees("Bo (left) sits down.")
            ann.types("more")
            ann.sees("Nobody has to decide just now.")
            ann.types("1")
            play_until(ann, "Waiting for Bo (left)")
            ann.types("more")
            ann.sees("You give Bo (left) 30 s more.")
            bo.sees("Ann (right) gives you 30 s more.")
            bo.types("more")
            bo.sees("The server refuses: only the others can give you time.")

    await asyncio.to_thread(give)


async def test_a_friend_chooses_a_seat(tmp_path: Path, server: Server) -> None:
    """Behind the code, and at the table until the game begins; the host stays where he is."""

    def choose() -> None:
        with (
            person(tmp_path, "play", server.ws, "--name", "Ann") as ann,
            person(tmp_path, "play", server.ws, "--name", "Bo") as bo,
        ):
            ann.is_asked()
            ann.types("2")
            asked = ann.is_asked()
            code = code_in(asked)
            assert "Move to" not in asked
            for seat, answer in (
                ("9", "There is no seat 9."),
                ("0", "The server refuses: somebody sits there."),
                ("2", "Waiting for Ann (partner)"),
            ):
                bo.is_asked()
                bo.types("5")
                bo.is_asked()
                bo.types(f"{code} {seat}")
                bo.sees(answer)
            ann.sees("Bo (partner) sits down.")
            assert " 2. Move to the seat on your left\r\n 3. Leave" in bo.is_asked()
            bo.types("2")
            ann.sees("Bo (right) sits down.")
            assert " 2. Move to the seat on your right, as partner of Ann\r\n" in bo.is_asked()
            bo.types("1")
            ann.sees("Bo (left) sits down.")
            assert " 1. Move to the seat on your left, as partner of Ann\r\n" in bo.is_asked()
            ann.types("1")
            bo.sees("The game begins.")

    await asyncio.to_thread(choose)


async def test_a_table_may_have_no_watchers_and_bots_who_keep_their_seats(tmp_path: Path, server: Server) -> None:
    def make() -> str:
        arguments = ("play", server.ws, "--name", "Ann", "--no-spectators", "--bots-stay")
        with person(tmp_path, *arguments) as ann:
            ann.is_asked()
            ann.types("2")
            code = code_in(ann.is_asked())
            ann.types("1")
            ann.sees("The game begins.")
        return code

    code = await asyncio.to_thread(make)
    for command, refusal in (
        (("play", server.ws, "--table", code), "at this table bots keep their seats"),
        (("watch", code, server.ws), "this table has no spectators"),
    ):
        done = await asyncio.to_thread(run, tmp_path, *command, "--name", "Bo")
        assert done.returncode == 1
        assert done.stderr == f"euchre: The server refuses: {refusal}.\n"


async def test_two_tables_of_the_same_name_are_told_apart(tmp_path: Path, server: Server) -> None:
    """By how far they are, who sits there, how they stand, and their codes; one with a game on comes first."""

    def looks() -> None:
        with person(tmp_path, "play", server.ws, "--name", "Ann") as ann:
            ann.is_asked()
            ann.types("2")
            waiting = code_in(ann.is_asked())
            ann.types("quit")
            ann.leaves()
        with person(tmp_path, "play", server.ws, "--name", "Ann") as ann:
            ann.is_asked()
            ann.types("3")
            playing = code_in(ann.is_asked())
            ann.types("1")
            ann.is_asked()
            with person(tmp_path, "play", server.ws, "--name", "Ann") as again:
                asked = " ".join(again.is_asked().split())
        assert f"1. Go back to Ann's table, code {playing}, playing with " in asked
        assert f": us 0, them 0 2. Go back to Ann's table, code {waiting}, waiting 3. Play now" in asked

    await asyncio.to_thread(looks)


async def test_a_second_window_takes_over(tmp_path: Path, server: Server) -> None:
    """The newest connection of a player wins; the older program says why it ends, with status 1."""

    def plays() -> None:
        with person(tmp_path, "play", server.ws, "--quick", "--name", "Ann") as first:
            first.is_asked()
            with person(tmp_path, "play", server.ws, "--quick", "--name", "Ann") as second:
                second.sees("You go back to the game you left; leave gives up its seat.")
                second.is_asked()
                assert first.leaves() == 1
                assert "You are connected from another window or device." in first.seen

    await asyncio.to_thread(plays)


def link_of(somebody: Person) -> str:
    """Ask for one's own link."""
    somebody.types("link")
    found = re.search(r"http://\S+#me=\S+", somebody.is_asked())
    assert found, somebody.question
    return found[0]


@pytest.fixture
def homes(tmp_path: Path) -> tuple[Path, Path]:
    """Return the folders of two machines."""
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    return here, there


async def test_a_game_is_taken_to_another_machine_by_ones_own_link(homes: tuple[Path, Path], server: Server) -> None:
    """Who one was there is not lost, and it is told how to be that again; the link itself need not be on the screen."""
    here, there = homes

    def plays() -> None:
        with person(there, "play", server.ws, "--quick", "--name", "Ben") as ben:
            ben.is_asked()
            bens = link_of(ben)
        with person(here, "play", server.ws, "--quick", "--name", "Ann") as ann:
            ann.is_asked()
            link = link_of(ann)
            with person(there, "play", "--me", "-", "--quick") as ann_there:
                ann_there.sees("Your own link")
                ann_there.types(link)
                told = " ".join(ann_there.is_asked().split())
                assert f"You are Ann (--name gives you a name), at {server.ws}." in told
                assert f"Here you were Ben until now. To be that again: euchre play {server.ws} --name Ben" in told
                assert "You go back to the game you left" in told
                assert link not in told
                assert ann.leaves() == 1
                with person(there, "play", server.ws, "--quick") as again:
                    assert "You go back to the game you left" in again.is_asked()
                with person(there, "play", server.ws, "--quick", "--name", "Ben") as ben:
                    ben.is_asked()
                    assert link_of(ben) == bens

    await asyncio.to_thread(plays)


async def test_a_new_link_takes_the_old_ones_place(homes: tuple[Path, Path], server: Server) -> None:
    """The game goes on, and this machine keeps the new one; the old one is nobody's."""
    here, there = homes

    def plays() -> None:
        with person(here, "play", server.ws, "--quick", "--name", "Ann") as ann:
            ann.is_asked()
            old = link_of(ann)
            ann.types("link new")
            ann.sees("the old one is worth nothing any more")
            ann.is_asked()
            new = link_of(ann)
            assert new != old
            ann.types("1")
            ann.is_asked()
            assert "Connection lost" not in ann.seen
            with person(there, "play", "--me", old, "--quick") as nobody:
                assert nobody.leaves() == 1
                assert f"This link belongs to nobody at {server.ws}." in nobody.seen
            with person(there, "play", "--me", new, "--quick") as ann_there:
                assert "You go back to the game you left" in ann_there.is_asked()
                with person(here, "play", server.ws, "--quick", "--name", "Ann") as again:
                    assert "You go back to the game you left" in again.is_asked()

    await asyncio.to_thread(plays)


@pytest.mark.parametrize("arguments", [("--me", "nonsense"), ("ws://127.0.0.1:1/ws", "--me", "http://127.0.0.1/#me=a")])
async def test_a_link_that_makes_no_sense_is_one_line(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = await asyncio.to_thread(run, tmp_path, "play", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"euchre: .+\n", done.stderr)


# ── without a terminal ───────────────────────────────────────────────────────────────────────────────────────────────


def run(home: Path, *arguments: str, answers: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [EUCHRE, *arguments],
        input=answers,
        capture_output=True,
        text=True,
        cwd=home,
        env=os.environ | {"XDG_STATE_HOME": str(home)},
        timeout=PATIENCE_S,
        check=False,
    )


async def test_a_pipe_plays_a_whole_game(tmp_path: Path, server: Server) -> None:
    """Every line answers one question; at the end of the input a bot takes over."""
    arguments = ("play", server.ws, "--rule", "target=1", "--seed", "4")
    done = await asyncio.to_thread(run, tmp_path, *arguments, answers="1\n" * 30)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "The game is over." in done.stdout
    assert "To come back: euchre play " in done.stdout
    assert not {"\x1b", "\a", ">"} & set(done.stdout)
    await asyncio.to_thread(_check_the_records, tmp_path, done.stdout)


def _check_the_records(folder: Path, shown: str) -> None:
    """Every finished game is in a file of its own, which verifies."""
    records = list(folder.glob("euchre-*.jsonl"))
    assert len(records) == shown.count("The game is over.")
    for record in records:
        assert f"The record is in {record.name}, in" in shown.replace("\n  ", " ")
        checked = run(folder, "verify", record.name)
        assert (checked.returncode, checked.stderr) == (0, "")
        assert checked.stdout.endswith("fair. Every action is legal.\n")


async def test_partner_and_opponents_have_the_levels_chosen(tmp_path: Path, server: Server) -> None:
    arguments = ("play", server.ws, "--quick", "--level", "easy", "--partner", "hard")
    shown = (await asyncio.to_thread(run, tmp_path, *arguments)).stdout
    assert re.findall(r"(\w+) \(bot, (\w+)\)", shown)[:3] == [("Basil", "easy"), ("Clara", "hard"), ("Dexter", "easy")]


async def test_what_the_server_refuses_is_one_line(tmp_path: Path, server: Server) -> None:
    refusals = {
        ("--table", "XXXXXX"): "euchre: The server refuses: there is no such table.\n",
        ("--rule", "target=0"): "euchre: The server refuses these rules: target: must be from 1 to 99.\n",
        ("--preset", "nonsense"): "euchre: The server refuses these rules: preset: unknown;",
    }
    for arguments, line in refusals.items():
        done = await asyncio.to_thread(run, tmp_path, "play", server.ws, *arguments)
        assert done.returncode == 1
        assert done.stderr.startswith(line)
        assert done.stderr.count("\n") == 1


async def test_without_a_server_there_is_one_line(tmp_path: Path) -> None:
    address = f"ws://127.0.0.1:{free_port()}/ws"
    done = await asyncio.to_thread(run, tmp_path, "play", address)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"euchre: No server answers at {address}. To start one here: euchre serve\n"


async def test_who_expects_tls_of_a_server_without_is_told(tmp_path: Path, server: Server) -> None:
    done = await asyncio.to_thread(run, tmp_path, "play", f"https://127.0.0.1:{server.port}/")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.endswith(f"seems to speak no TLS; without it the address is {server.ws}\n")


async def test_what_is_no_euchre_server_is_said(tmp_path: Path) -> None:
    async def answer(reader: Any, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as listener:
        port = listener.sockets[0].getsockname()[1]
        done = await asyncio.to_thread(run, tmp_path, "play", f":{port}")
    assert done.returncode == 1
    assert f"What answers at ws://127.0.0.1:{port}/ws is no Euchre server" in done.stderr
    assert done.stderr.count("\n") == 1
