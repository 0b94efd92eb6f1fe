"""The page's half of the conversation, without a socket: gaps, repeats and what is owed an answer."""

from __future__ import annotations

from typing import Any

import pytest

WELCOME = {
    "t": "welcome", "ref": 1, "player": {"id": "p", "name": "Ann", "kind": "human"}, "token": "secret", "next_ref": 7,
    "limits": {}, "tables": [{"table": "t1", "code": "ABC", "seat": 0}], "server": {"name": "s", "version": "0"},
}  # fmt: skip
INFO = {"id": "t1", "seats": [{"seat": seat, "kind": "open"} for seat in range(4)], "host": 0, "state": "playing"}
GAME = {"viewer": 0, "calls": []}
VIEW = {"t": "view", "table": "t1", "seq": 5, "view": {"table": INFO, "game": GAME}}


def passed(seq: int, seat: int) -> dict[str, Any]:
    return {"t": "event", "table": "t1", "seq": seq, "events": [{"e": "passed", "seat": seat}]}


def prompt(seq: int) -> dict[str, Any]:
    return {"t": "prompt", "table": "t1", "seq": seq, "turn": seq, "seat": 0, "phase": "bid1", "left_ms": None,
            "bank_ms": None, "legal": ["pass"]}  # fmt: skip


# Steps: "open", "close", {"ask": message} or {"hear": [messages]}. Returns what is sent after each, and the end.
_RUN = """async (steps) => {
    const { Session } = await import("/session.js");
    const session = new Session({ name: "Ann" });
    const sent = steps.map((step) => {
        if (step === "open") session.open();
        else if (step === "close") session.close();
        else if (step.ask) session.request(step.ask);
        else session.receive(step.hear, 0);
        return session.takeOutgoing();
    });
    const table = session.tables.get("t1");
    return { sent, seq: table?.seq ?? null, calls: table?.game?.calls ?? null, turn: table?.prompt?.turn ?? null };
}"""


@pytest.fixture(scope="module")
def run(browser: Any, server: Any) -> Any:
    """Take a new session through some steps."""
    with browser.new_page() as page:
        page.goto(server.url)
        yield lambda *steps: page.evaluate(_RUN, list(steps))


def kinds(messages: list[dict[str, Any]]) -> list[str]:
    return [message["t"] for message in messages]


def test_it_greets_with_what_it_has_heard_and_numbers_on_from_the_welcome(run: Any) -> None:
    result = run("open", {"hear": [WELCOME, VIEW]}, {"ask": {"t": "start", "table": "t1"}}, "close", "open")
    greeting, _, command, _, again = result["sent"]
    assert (greeting[0]["t"], greeting[0]["resume"], greeting[0]["token"]) == ("hello", {}, None)
    assert command == [{"t": "start", "table": "t1", "ref": 7}]
    assert (again[0]["resume"], again[0]["token"]) == ({"t1": 5}, "secret")


def test_what_is_asked_before_the_welcome_waits_for_it(run: Any) -> None:
    result = run({"ask": {"t": "tables"}}, "open", {"hear": [WELCOME]})
    assert [kinds(messages) for messages in result["sent"]] == [[], ["hello"], ["tables"]]
    assert result["sent"][2][0]["ref"] == 7


def test_a_command_without_an_answer_is_sent_again_with_its_ref(run: Any) -> None:
    act = {"t": "act", "table": "t1", "turn": 5, "action": "pass"}
    result = run("open", {"hear": [WELCOME, VIEW]}, {"ask": act}, "close", "open", {"hear": [WELCOME | {"ref": 8}]})
    assert result["sent"][5] == [act | {"ref": 7}]


def test_a_command_with_an_answer_is_not_sent_again(run: Any) -> None:
    answered = {"hear": [{"t": "ok", "ref": 7}]}
    result = run("open", {"hear": [WELCOME]}, {"ask": {"t": "tables"}}, answered, "close", "open", {"hear": [WELCOME]})
    assert result["sent"][6] == []


def test_chat_is_not_sent_again(run: Any) -> None:
    say = {"t": "say", "table": "t1", "text": "hello"}
    result = run("open", {"hear": [WELCOME, VIEW]}, {"ask": say}, "close", "open", {"hear": [WELCOME]})
    assert result["sent"][5] == []


def test_events_follow_the_view_and_a_repeated_one_changes_nothing(run: Any) -> None:
    result = run("open", {"hear": [WELCOME, VIEW, passed(6, 1), passed(6, 1), passed(5, 3), passed(7, 2), prompt(7)]})
    assert (result["seq"], result["calls"], result["turn"]) == (7, [[1, "pass"], [2, "pass"]], 7)


def test_a_gap_is_asked_for_once_and_filled(run: Any) -> None:
    result = run(
        "open",
        {"hear": [WELCOME, VIEW]},
        {"hear": [passed(7, 2), prompt(7), passed(8, 3)]},
        {"hear": [{"t": "ok", "ref": 7}, passed(6, 1), passed(7, 2), passed(8, 3), prompt(8)]},
    )
    assert result["sent"][2] == [{"t": "sync", "table": "t1", "seq": 5, "ref": 7}]
    assert (result["seq"], result["turn"]) == (8, 8)
    assert result["calls"] == [[1, "pass"], [2, "pass"], [3, "pass"]]


def test_an_older_view_is_not_believed(run: Any) -> None:
    result = run("open", {"hear": [WELCOME, VIEW, passed(6, 1), VIEW]})
    assert (result["seq"], result["calls"]) == (6, [[1, "pass"]])


def test_the_first_view_after_a_welcome_is_believed_although_it_is_older(run: Any) -> None:
    """The end of the table's record was lost, and it goes on from what was left; a second one is as old as any."""
    back = ["close", "open", {"hear": [WELCOME | {"ref": 8}, VIEW, prompt(5)]}]
    result = run("open", {"hear": [WELCOME, VIEW, passed(6, 1), passed(7, 2)]}, *back)
    assert (result["seq"], result["calls"], result["turn"]) == (5, [], 5)
    result = run("open", {"hear": [WELCOME, VIEW]}, "close", "open", {"hear": [WELCOME, passed(6, 1), VIEW]})
    assert (result["seq"], result["calls"]) == (6, [[1, "pass"]])


def test_what_is_watched_is_asked_for_again_after_the_welcome(run: Any) -> None:
    elsewhere = WELCOME | {"tables": []}
    watched = {"hear": [{"t": "ok", "ref": 7, "table": "t1"}, VIEW | {"view": {"table": INFO, "game": None}}]}
    watch = {"t": "watch", "code": "ABC"}
    result = run("open", {"hear": [elsewhere]}, {"ask": watch}, watched, "close", "open", {"hear": [elsewhere]})
    assert result["sent"][5][0]["resume"] == {}
    assert result["sent"][6] == [watch | {"ref": 9}]
