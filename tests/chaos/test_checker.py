"""The checker finds nothing where nothing is wrong, and each kind of wrong where a transcript or a log is doctored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from engine.view import WATCHER, View, Viewer, view_for
from protocol.codec import JSON
from server.entries import Acted, StoodUp, pack_entry, unpack_entry
from server.log import Stored
from server.table import Refusal, Repeated
from server.telling import Bulletin, view_message
from tests.chaos import checker
from tests.chaos.checker import Message, Transcript, violations
from tests.server.tables import PEOPLE, PureTable, player
from tests.support_player import without_prompt


@dataclass
class Case:
    """A table's log, and what was heard of it by whom."""

    log: list[Stored]
    transcripts: dict[Viewer, Transcript]

    def heard(self, viewer: Viewer, kind: str) -> list[Message]:
        return [message for message in self.transcripts[viewer].heard if message["t"] == kind]

    def hears(self, viewer: Viewer, heard: list[Message]) -> None:
        """Let a viewer have heard something else."""
        self.transcripts[viewer] = replace(self.transcripts[viewer], heard=heard)

    def append(self, entry: Acted | StoodUp) -> None:
        self.log.append(Stored(self.log[-1].seq + 1, self.log[-1].at_ms, pack_entry(entry)))

    def acts(self) -> list[Acted]:
        return [entry for stored in self.log if isinstance(entry := unpack_entry(stored.entry), Acted)]

    def kinds(self) -> set[str]:
        """Return what the checker finds."""
        return {violation.kind for violation in violations(self.log, list(self.transcripts.values()))}


def a_game() -> Case:
    """Return the log of two hands of four people, and what each of them and a watcher heard."""
    table = PureTable(seed=3)
    viewers: tuple[Viewer, ...] = (0, 1, 2, 3, WATCHER)
    heard: dict[Viewer, list[Message]] = {viewer: [] for viewer in viewers}
    folded: dict[Viewer, dict[int, View]] = {viewer: {} for viewer in viewers}
    for viewer in viewers:
        heard[viewer].append(_plain(view_message("t", table.state, viewer, online=(), watchers=1)))

    def tell() -> None:
        bulletin = Bulletin("t", table.state, table.happened, now_ms=table.now_ms)
        for viewer in viewers:
            heard[viewer] += JSON.decode_frame(JSON.frame(bulletin.parts_for(JSON, viewer)).decode())
            folded[viewer][table.state.seq] = without_prompt(view_for(table.game, viewer))

    table.did(table.start())
    tell()
    while table.game.standing.hands_dealt < 2 or not table.state.awaits_deal:
        if table.state.awaits_deal:
            table.did(table.deal())
        else:
            act = table.act(str(table.random_action()))
            seat = table.decision.seat
            outcome = table.outcome(act)
            assert not isinstance(outcome, Refusal | Repeated)
            heard[seat].append({"t": "ok", "ref": act.ref, "seq": table.state.seq})
        tell()
    for viewer in viewers:
        heard[viewer].append(_plain(view_message("t", table.state, viewer, online=(), watchers=1)))
    return Case(
        table.stored,
        {
            viewer: Transcript(
                "eve" if viewer == WATCHER else player(PEOPLE[viewer]), viewer, heard[viewer], folded[viewer]
            )
            for viewer in viewers
        },
    )


def _plain(message: Any) -> Message:
    return JSON.decode_frame(JSON.frame([JSON.encode(message)]).decode())[0]


def test_nothing_is_found_where_nothing_is_wrong() -> None:
    assert a_game().kinds() == set()


def test_an_id_that_happens_to_spell_a_card_shows_none() -> None:
    case = a_game()
    for viewer in case.transcripts:
        case.hears(viewer, [{**m, "table": "t_tZruRklMM-7h"} for m in case.transcripts[viewer].heard])
    assert case.kinds() == set()


def test_what_is_heard_again_after_a_reconnect_is_no_fault() -> None:
    case = a_game()
    heard = list(case.transcripts[1].heard)
    case.hears(1, [*heard, *heard[-6:]])
    assert case.kinds() == set()


def a_gap(case: Case) -> None:
    del case.log[7]


def a_command_twice(case: Case) -> None:
    last = case.acts()[-1]
    case.append(StoodUp(last.player, last.ref))


def a_lost_answer(case: Case) -> None:
    case.heard(2, "ok")[-1]["ref"] += 1000


def an_answer_under_another_number(case: Case) -> None:
    case.heard(2, "ok")[-1]["seq"] -= 1


def a_no_that_was_a_yes(case: Case) -> None:
    answer = case.heard(2, "ok")[-1]
    answer |= {"t": "refused", "code": "stale", "detail": "time ran out for that decision"}
    del answer["seq"]


def an_event_of_the_future(case: Case) -> None:
    case.log.pop()


def an_event_missing(case: Case) -> None:
    missing = case.heard(WATCHER, "event")[9]
    case.hears(WATCHER, [message for message in case.transcripts[WATCHER].heard if message is not missing])


def an_older_view(case: Case) -> None:
    case.hears(0, [*case.transcripts[0].heard, case.heard(0, "view")[0]])


def another_event(case: Case) -> None:
    events = [event for message in case.heard(3, "event") for event in message["events"]]
    next(event for event in events if event["e"] == "trick_won")["seat"] ^= 1


def another_view(case: Case) -> None:
    case.heard(3, "view")[-1]["view"]["game"]["score"] = [9, 9]


def another_fold(case: Case) -> None:
    old = case.transcripts[1]
    seq = max(old.folded)
    case.transcripts[1] = replace(old, folded={**old.folded, seq: replace(old.folded[seq], score=(9, 9))})


def another_prompt(case: Case) -> None:
    case.heard(WATCHER, "prompt")[3]["seat"] ^= 1


def anothers_choices(case: Case) -> None:
    prompt = next(prompt for prompt in case.heard(0, "prompt") if "legal" not in prompt)
    prompt["legal"] = ["pass"]


def anothers_cards(case: Case) -> None:
    dealt = next(
        event for message in case.heard(0, "event") for event in message["events"] if event["e"] == "cards_dealt"
    )
    first = next(message for message in case.heard(1, "event") if len(message["events"]) > 1)
    first["events"].append(dealt)


def a_card_in_words(case: Case) -> None:
    mine = [message for message in case.heard(0, "prompt") if "legal" in message]
    heard = list(case.transcripts[2].heard)
    chat = {"t": "chat", "table": "t", "text": f"Ann's choices: {mine[0]['legal']} {mine[-1]['legal']}"}
    heard.insert(heard.index(case.heard(2, "event")[2]), chat)
    case.hears(2, heard)


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (a_gap, checker.GAP),
        (a_command_twice, checker.DONE_TWICE),
        (a_lost_answer, checker.LOST),
        (an_answer_under_another_number, checker.LOST),
        (a_no_that_was_a_yes, checker.DENIED),
        (an_event_of_the_future, checker.UNMADE),
        (an_event_missing, checker.SKIPPED),
        (an_older_view, checker.WENT_BACK),
        (another_event, checker.OTHER_EVENTS),
        (another_view, checker.OTHER_VIEW),
        (another_fold, checker.OTHER_VIEW),
        (another_prompt, checker.OTHER_PROMPT),
        (anothers_choices, checker.OTHER_PROMPT),
        (anothers_cards, checker.SHOWN_HIDDEN),
        (a_card_in_words, checker.SHOWN_HIDDEN),
    ],
)
def test_what_was_doctored_is_found(change: Callable[[Case], object], kind: str) -> None:
    case = a_game()
    change(case)
    assert kind in case.kinds()


def test_a_decision_that_is_taken_twice_is_found() -> None:
    """No fold would take such a log, so it is found before one is made."""
    case = a_game()
    case.append(case.acts()[-1])
    assert checker.TAKEN_TWICE in case.kinds()
