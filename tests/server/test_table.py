"""The pure table: which command is taken, and what the table is after it."""

from __future__ import annotations

from typing import Any

import pytest

from engine import fair
from engine.actions import parse_action
from engine.cards import make_pack
from engine.errors import Code
from engine.events import Passed, SecretRevealed
from engine.fair import commitment
from engine.rules import make_rules
from engine.state import Finished, Phase
from engine.view import WATCHER, view_for
from protocol.table_events import (
    CameBack,
    DealCommitted,
    EntropyAdded,
    GameStarted,
    HostChanged,
    Seated,
    StoodIn,
    TableClosed,
    TimeCredited,
    TimeGiven,
    Unseated,
    WentAway,
)
from server import clock
from server.entries import Acted, Filled, SatDown, pack_entry, unpack_entry
from server.table import Act, ActFor, Close, Command, Credit, DealHand, PassHost, SetAway, SitDown, Stir, viewer_of
from tests.engine.table import stacked_deck
from tests.server.tables import PureTable, entries, player, refold, secret_of

TURN_MS = 20_000
BANK_MS = 60_000
"""The normal clock's."""

# ── seats and host ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_maker_of_a_table_is_its_host_at_seat_0() -> None:
    table = PureTable(people=1)
    assert table.happened == (Seated(0, "human", "Ann", None), HostChanged(0))
    assert table.kinds == ["human", "open", "open", "open"]
    assert table.state.room.host_seat == 0


def test_a_newcomer_takes_the_seat_he_names() -> None:
    table = PureTable(people=1)
    assert table.did(table.sit_down("Ben", 2)) == (Seated(2, "human", "Ben", None),)
    assert table.state.room.seat_of("ben") == 2


def test_two_of_one_name_are_told_apart() -> None:
    """Also a person and the house's bot."""
    table = PureTable(people=1)
    table.did(SitDown("another", "ann", 2, table.ref()))
    table.did(SitDown("third", "Basil", 3, table.ref()))
    assert table.did(table.fill()) == (Seated(1, "bot", "Basil 2", "standard"),)
    assert [chair.name for chair in table.state.room.chairs] == ["Ann", "Basil 2", "ann 2", "Basil"]


def test_who_sits_down_in_place_of_a_bot_has_his_own_name() -> None:
    table = PureTable(people=1)
    table.did(table.fill())
    assert table.did(SitDown("basil", "Basil", 1, table.ref())) == (Seated(1, "human", "Basil", None),)


def test_without_a_seat_named_open_ones_go_before_bots() -> None:
    table = PureTable(people=1)
    table.did(table.fill(seat=1))
    for name, seat in (("Ben", 2), ("Cat", 3), ("Dan", 1)):
        table.did(table.sit_down(name))
        assert table.state.room.seat_of(name.lower()) == seat
    assert table.refused(table.sit_down("Eve")) == "table_full"


def test_a_persons_seat_is_not_taken_from_him() -> None:
    table = PureTable(people=2)
    assert table.refused(table.sit_down("Cat", 1)) == "seat_taken"
    assert table.refused(table.fill(seat=1)) == "seat_taken"
    table.did(table.away("Ben", on=True))
    assert table.refused(table.sit_down("Cat", 1)) == "seat_taken"


def test_nobody_sits_twice() -> None:
    table = PureTable(people=2)
    assert table.refused(table.sit_down("Ben", 3)) == "already_seated"
    assert table.refused(table.sit_down("Ann")) == "already_seated"


def test_a_person_takes_a_bots_seat_in_mid_game() -> None:
    table = PureTable(people=1).started()
    table.did(table.sit_down("Ben", 2))
    assert table.kinds == ["human", "bot", "human", "bot"]
    assert table.state.is_playing


def test_leaving_before_the_game_opens_the_seat() -> None:
    table = PureTable(people=2)
    assert table.did(table.stand_up("Ben")) == (Unseated(1),)
    assert table.kinds[1] == "open"
    assert table.refused(table.stand_up("Ben")) == "not_seated"


def test_leaving_in_mid_game_leaves_the_seat_to_a_bot() -> None:
    table = PureTable(people=4).started()
    seen = view_for(table.game, 2)
    (seated,) = table.did(table.stand_up("Cat"))
    assert isinstance(seated, Seated)
    assert (seated.seat, seated.kind, seated.level) == (2, "bot", "standard")
    assert view_for(table.game, 2) == seen


def test_leaving_after_the_game_opens_the_seat() -> None:
    table = PureTable(people=4, target=1).started()
    table.play_until_over()
    assert table.did(table.stand_up("Cat")) == (Unseated(2),)


def test_s8_the_host_goes_before_the_start_and_the_next_person_clockwise_is_host() -> None:
    """S8. The host leaves before the start: the table can still be started."""
    table = PureTable(people=1)
    table.did(table.sit_down("Ben", 3))
    table.did(table.sit_down("Cat", 2))
    assert table.did(table.stand_up("Ann")) == (Unseated(0), HostChanged(2))
    assert table.refused(table.start("Ben")) == "not_host"
    table.did(table.start("Cat"))
    assert table.kinds == ["bot", "bot", "human", "human"]


def test_the_host_passes_over_bots_and_open_seats() -> None:
    table = PureTable(people=1)
    table.did(table.fill(seat=1))
    table.did(table.sit_down("Dan", 3))
    assert HostChanged(3) in table.did(table.stand_up("Ann"))


def test_others_leaving_change_no_host() -> None:
    table = PureTable(people=3)
    table.did(table.stand_up("Ben"))
    assert table.state.room.host == "ann"


def test_with_the_last_person_the_host_goes_and_a_newcomer_is_host() -> None:
    table = PureTable(people=1)
    assert table.did(table.stand_up("Ann")) == (Unseated(0), HostChanged(None))
    assert table.did(table.sit_down("Ben", 2)) == (Seated(2, "human", "Ben", None), HostChanged(2))


def test_s8_a_host_who_is_gone_is_followed_by_somebody_who_sits_there_and_by_one_only() -> None:
    """S8. What other nodes say of it comes late: he is the host no more, a game began, or whom they chose has left."""
    table = PureTable(people=3)
    assert table.refused(PassHost("ann", "dan")) == "stale"
    assert table.did(PassHost("ann", "ben")) == (HostChanged(1),)
    assert table.refused(PassHost("ann", "cat")) == "stale"
    table.did(table.start("Ben"))
    assert table.refused(PassHost("ben", "cat")) == "stale"


def test_a_table_that_somebody_came_back_to_is_not_closed_for_being_deserted() -> None:
    """The last person left and another sat down in the same moment: the table stays."""
    table = PureTable(people=1)
    table.did(table.stand_up("Ann"))
    table.did(table.sit_down("Ben"))
    assert table.refused(Close("everybody left", only_deserted=True)) == "stale"
    table.did(table.stand_up("Ben"))
    assert table.did(Close("everybody left", only_deserted=True)) == (TableClosed("everybody left"),)


# ── bots ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_host_fills_one_seat_or_all_open_ones() -> None:
    table = PureTable(people=1)
    (seated,) = table.did(table.fill(seat=2, level="easy"))
    assert isinstance(seated, Seated)
    assert (seated.seat, seated.kind, seated.level) == (2, "bot", "easy")
    assert [happening.seat for happening in table.did(table.fill()) if isinstance(happening, Seated)] == [1, 3]
    assert [chair.level for chair in table.state.room.chairs] == [None, "standard", "easy", "standard"]
    assert table.refused(table.fill()) == "nothing_to_do"


def test_a_bot_may_be_given_another_level() -> None:
    table = PureTable(people=1).started()
    table.did(table.fill(seat=1, level="easy"))
    assert table.state.room.chairs[1].level == "easy"
    assert table.state.is_playing


def test_bots_of_unknown_levels_are_not_to_be_had() -> None:
    table = PureTable(people=1)
    assert table.refused(table.fill(level="genius")) == "unknown_level"


def test_only_the_host_fills_and_starts() -> None:
    table = PureTable(people=2)
    for name in ("Ben", "Eve"):
        assert table.refused(table.fill(name)) == "not_host"
        assert table.refused(table.start(name)) == "not_host"


# ── the game ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_open_seats_get_bots_at_the_start() -> None:
    table = PureTable(people=2)
    *seated, started, committed = table.did(table.start())
    assert [happening.seat for happening in seated if isinstance(happening, Seated)] == [2, 3]
    assert started == GameStarted()
    assert committed == DealCommitted(1, commitment(secret_of(1)))
    assert table.kinds == ["human", "human", "bot", "bot"]
    assert table.state.awaits_deal


def test_c11_two_starts_at_once_are_one_game() -> None:
    """C11. Two `start` at once: one game, one deal of distinct cards."""
    table = PureTable()
    first, second = table.start(game="g1"), table.start(game="g2")
    table.did(first)
    assert table.refused(second) == "already_playing"
    table.did(table.deal())
    assert table.play.id == "g1"
    hands = [card for seat in range(4) for card in view_for(table.game, seat).cards]
    assert len(set(hands)) == 20
    assert table.refused(table.start(game="g3")) == "already_playing"


def test_c11_join_and_start_fifty_times_are_one_seat_and_one_game() -> None:
    """C11. Repeat `join` and `start` fifty times: one seat, one game, whether by the same ref or others."""
    table = PureTable(people=1)
    join, start = table.sit_down("Ben"), table.start()
    table.did(join)
    table.did(start)
    seq = table.state.seq
    for _ in range(50):
        assert table.repeated(join) == seq - 1
        assert table.repeated(start) == seq
        assert table.refused(table.sit_down("Ben")) == "already_seated"
        assert table.refused(table.start()) == "already_playing"
    assert table.state.seq == seq
    assert table.kinds == ["human", "human", "bot", "bot"]


def test_a_hand_is_dealt_once() -> None:
    """Also where the next one waits for its deal when somebody hands in the last again."""
    table = PureTable(all_pass="redeal")
    table.did(table.start())
    again = table.deal()
    table.did(table.deal())
    assert table.refused(again) == "stale"
    assert table.refused(DealHand(2, again.secret)) == "stale"
    for _ in range(8):
        table.did(table.act("pass"))
    assert table.refused(again) == "stale"
    table.did(DealHand(2, again.secret))


def test_what_seats_add_goes_into_the_next_deal_and_is_revealed_after_it() -> None:
    """The fair deal: the latest text of every seat, each for one deal."""
    table = PureTable(all_pass="redeal")

    def stir(name: str, text: str) -> Stir:
        return Stir(player(name), text, table.ref())

    def deck(hand: int, *entropies: str) -> str:
        pack = make_pack(9)
        return "".join(fair.shuffle(pack, secret=secret_of(hand), game="g1", hand=hand, entropies=entropies))

    assert table.refused(stir("Ann", "early")) == "not_playing"
    table.did(table.start())
    assert table.refused(stir("Eve", "mine")) == "not_seated"
    assert table.did(stir("Ben", "first")) == (EntropyAdded(1, "first"),)
    table.did(stir("Ben", "b"))
    table.did(stir("Dan", "d"))
    assert table.did(table.deal())[-1] == DealCommitted(2, commitment(secret_of(2)))
    assert entries(table.stored)[-1].deck == deck(1, "", "b", "", "d")
    assert entries(table.stored)[-1].dealer == fair.first_dealer(secret=secret_of(1), game="g1")
    table.did(stir("Ann", "next"))
    for _ in range(8):
        table.did(table.act("pass"))
    assert table.happened[-1] == SecretRevealed(1, secret_of(1).hex(), ("", "b", "", "d"))
    table.did(table.deal())
    assert entries(table.stored)[-1].deck == deck(2, "next", "", "", "")


def test_the_first_dealer_is_drawn_and_later_ones_follow_clockwise() -> None:
    table = PureTable(all_pass="redeal").started(dealer=2)
    assert view_for(table.game, 0).dealer == 2
    for _ in range(8):
        table.did(table.act("pass"))
    table.did(table.deal())
    assert view_for(table.game, 0).dealer == 3


def test_an_act_is_refused_before_a_game() -> None:
    table = PureTable()
    assert table.refused(Act("ann", 1, parse_action("pass"), table.ref())) == "not_playing"
    table.did(table.start())
    assert table.refused(Act("ann", table.state.seq, parse_action("pass"), table.ref())) == "stale"


def test_an_act_is_refused_after_a_game() -> None:
    table = PureTable(target=1).started()
    last_turn = table.turn
    table.play_until_over()
    for turn in (last_turn, table.state.seq):
        assert table.refused(Act("ann", turn, parse_action("play 9h"), table.ref())) == "game_over"


def test_only_who_sits_there_acts() -> None:
    table = PureTable().started()
    assert table.refused(table.act(by="Eve")) == "not_seated"
    assert table.refused(table.act(by="Cat")) == "not_your_turn"


@pytest.mark.parametrize("off", [-100, -1, 1, 100])
def test_c3_an_act_for_another_turn_is_stale(off: int) -> None:
    """C3. `act` with an old `turn` is refused as stale; so is one for a turn that never was."""
    table = PureTable().started()
    table.did(table.act("pass"))
    for name in ("Ann", "Ben", "Cat", "Dan"):
        assert table.refused(table.act(by=name, turn=table.turn + off)) == "stale"


def test_c4_of_two_acts_for_one_turn_the_first_is_taken() -> None:
    """C4. A double click, or two connections of one seat, play one card: the other act is stale."""
    table = PureTable().started()
    first, second = table.act("pass"), table.act("order")
    table.did(first)
    assert table.refused(second) == "stale"


def test_c4_one_ref_for_two_actions_is_one_action_and_the_other_is_not_said_to_be_done() -> None:
    """C4. Two programs of one player count refs alike: the one whose card was not played must not hear `ok`."""
    table = PureTable().started()
    ref = table.ref()
    table.did(table.act("pass", ref=ref))
    assert table.refused(Act("ben", table.turn - 1, parse_action("order"), ref)) == "ref_reused"
    assert table.repeated(Act("ben", table.turn - 1, parse_action("pass"), ref)) == table.state.seq


def test_every_illegal_action_is_refused_for_its_reason() -> None:
    deck = stacked_deck(PureTable().rules, hands={1: "9h Th Jh Qh Kh", 2: "9s Ts Js Qs Ks"}, upcard="Ah")
    table = PureTable().started(deck)
    assert table.refused(table.act("play 9h")) == "wrong_phase"
    assert table.refused(table.act("call s")) == "wrong_phase"
    table.did(table.act("order"))
    assert table.refused(table.act("discard 9h")) == "card_not_held"
    table.did(table.act())
    assert table.refused(table.act("pass")) == "wrong_phase"
    assert table.refused(table.act("play 9s")) == "card_not_held"


def test_h8_a_card_of_others_a_buried_a_played_and_none_at_all_are_refused_alike() -> None:
    """H8. The refusal does not tell whether another has the card, or nobody."""
    deck = stacked_deck(
        PureTable().rules, hands={1: "9h Th Jh Qh Kh", 2: "9s Ts Js Qs Ks", 0: "9c Tc Jc Qc Kc"}, upcard="Ah"
    )
    table = PureTable().started(deck)
    table.did(table.act("order"))
    table.did(table.act("discard 9c"))
    table.did(table.act("play 9h"))  # Ben's; now Cat, who has no heart
    seen = {
        repr(table.outcome(Act("cat", table.turn, action, table.ref())))
        for action in (
            parse_action("play Th"),  # another's
            parse_action("play 9c"),  # buried
            parse_action("play 9h"),  # played
            parse_action("play 9d"),  # still in the pack, or Dan's
            Code.CARD_NOT_HELD,  # "2C", null: cards that do not exist
        )
    }
    assert len(seen) == 1
    assert "card_not_held" in seen.pop()


def test_an_action_that_cannot_be_read_is_refused_where_an_illegal_one_would_be() -> None:
    table = PureTable()
    unreadable = [Code.BAD_ACTION, Code.CARD_NOT_HELD]
    for code in unreadable:
        assert table.refused(Act("eve", 1, code, table.ref())) == "not_seated"
        assert table.refused(Act("ann", 1, code, table.ref())) == "not_playing"
    table.started()
    for code in unreadable:
        assert table.refused(Act("eve", table.turn, code, table.ref())) == "not_seated"
        assert table.refused(Act("ben", table.turn - 1, code, table.ref())) == "stale"
        assert table.refused(Act("cat", table.turn, code, table.ref())) == "not_your_turn"
        assert table.refused(Act("ben", table.turn, code, table.ref())) == code


# ── commands that come again ─────────────────────────────────────────────────────────────────────────────────────────


def test_every_command_is_known_again_by_its_ref() -> None:
    """The same command with the same ref is answered with its entry, and not done again."""
    table = PureTable(people=1)
    done: list[tuple[Command, int]] = []
    for command in (
        table.sit_down("Ben", 1),
        table.fill(seat=2),
        table.start(),
        table.away("Ben", on=True),
        table.away("Ben", on=False),
    ):
        table.did(command)
        done.append((command, table.state.seq))
    table.dealt()
    act = table.act("pass")
    table.did(act)
    done.append((act, table.state.seq))
    leave = table.stand_up("Ben")
    table.did(leave)
    done.append((leave, table.state.seq))
    for known, seq in done:
        assert table.repeated(known) == seq


def test_a_ref_is_one_players_own() -> None:
    """Another player's command with the same ref is another command."""
    table = PureTable().started()
    table.did(table.act("pass", ref=100))
    table.did(table.act("pass", ref=100))


def test_a_ref_used_for_another_command_is_refused() -> None:
    table = PureTable(people=1)
    table.did(table.sit_down("Ben", 1, ref=50))
    assert table.refused(table.stand_up("Ben", ref=50)) == "ref_reused"
    assert table.refused(table.away("Ben", on=True, ref=50)) == "ref_reused"
    table.did(table.away("Ben", on=True, ref=51))
    assert table.refused(table.away("Ben", on=False, ref=51)) == "ref_reused"


def test_a_ref_used_for_the_same_kind_with_other_content_is_refused() -> None:
    """What is answered `ok` is what was done; a seat or level that is left open was what was got."""
    table = PureTable(people=1)
    table.did(table.sit_down("Ben", 1, ref=50))
    assert table.repeated(table.sit_down("Ben", None, ref=50))
    assert table.refused(table.sit_down("Ben", 2, ref=50)) == "ref_reused"
    table.did(table.fill(seat=2, ref=60))
    assert table.repeated(table.fill(seat=2, level="standard", ref=60))
    assert table.refused(table.fill(seat=3, ref=60)) == "ref_reused"
    assert table.refused(table.fill(seat=2, level="easy", ref=60)) == "ref_reused"
    table.did(table.start())
    table.did(Stir("ben", "a word", 70))
    assert table.repeated(Stir("ben", "a word", 70))
    assert table.refused(Stir("ben", "another", 70)) == "ref_reused"
    table.dealt(dealer=0)
    table.did(table.give_time("Ann", ref=80))
    assert table.repeated(table.give_time("Ann", ref=80))
    assert table.refused(table.give_time("Ann", turn=table.turn + 1, ref=80)) == "ref_reused"
    assert table.decision.gifts == 1


def test_a_refused_command_leaves_its_ref_free() -> None:
    table = PureTable().started()
    assert table.refused(table.act("play 9h", ref=70)) == "wrong_phase"
    table.did(table.act("pass", ref=70))


def test_the_latest_thirty_two_refs_are_known_and_no_more() -> None:
    """The memory is bounded: an older act is stale by its turn."""
    table = PureTable(people=2)
    first = table.away("Ben", on=True, ref=1000)
    table.did(first)
    for count in range(1, 32):
        table.did(table.away("Ben", on=count % 2 == 0, ref=1000 + count))
    assert table.repeated(first)
    table.did(table.away("Ben", on=True, ref=2000))
    assert len(table.state.known["ben"]) == 32
    assert table.refused(first) == "nothing_to_do"


def test_a_closed_table_still_knows_what_was_done() -> None:
    table = PureTable(people=1)
    leave = table.stand_up("Ann")
    table.did(leave)
    table.did(Close("everybody left"))
    assert table.repeated(leave) == 2


# ── clocks ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def decision_after(ms: int, *, bank_ms: int = BANK_MS) -> tuple[int, int] | None:
    return clock.left_ms(clock.CLOCKS["normal"], clock.Decision(5, 1, 0), bank_ms, ms)


@pytest.mark.parametrize(
    ("ms", "left"),
    [
        (0, (TURN_MS, BANK_MS)),
        (1, (TURN_MS - 1, BANK_MS)),
        (TURN_MS, (0, BANK_MS)),
        (TURN_MS + 1, (0, BANK_MS - 1)),
        (TURN_MS + BANK_MS - 1, (0, 1)),
        (TURN_MS + BANK_MS, (0, 0)),
        (TURN_MS + BANK_MS + 5000, (0, 0)),
    ],
)
def test_a_decisions_own_time_goes_before_the_bank(ms: int, left: tuple[int, int]) -> None:
    assert decision_after(ms) == left


def test_time_is_over_with_the_bank_and_not_before() -> None:
    normal, decision = clock.CLOCKS["normal"], clock.Decision(5, 1, 0)
    assert not clock.is_over(normal, decision, BANK_MS, TURN_MS + BANK_MS - 1)
    assert clock.is_over(normal, decision, BANK_MS, TURN_MS + BANK_MS)
    assert clock.deadline_ms(normal, decision, BANK_MS) == TURN_MS + BANK_MS
    assert clock.is_over(normal, decision, 0, TURN_MS)


def test_without_a_clock_time_is_never_over() -> None:
    none, decision = clock.CLOCKS["none"], clock.Decision(5, 1, 0)
    assert clock.left_ms(none, decision, 0, 10**12) is None
    assert clock.deadline_ms(none, decision, 0) is None
    assert not clock.is_over(none, decision, 0, 10**12)
    assert clock.bank_after(none, decision, 0, 10**12) == 0


def test_a_credit_is_used_before_the_bank() -> None:
    credited = clock.Decision(5, 1, 0, credit_ms=5000)
    assert clock.left_ms(clock.CLOCKS["normal"], credited, BANK_MS, TURN_MS) == (5000, BANK_MS)
    assert clock.left_ms(clock.CLOCKS["normal"], credited, BANK_MS, TURN_MS + 6000) == (0, BANK_MS - 1000)


def test_a_quick_decision_leaves_the_bank_and_a_slow_one_takes_of_it() -> None:
    table = PureTable().started()
    assert table.play.banks_ms == (BANK_MS,) * 4
    table.later(TURN_MS)
    table.did(table.act("pass"))
    assert table.play.banks_ms == (BANK_MS,) * 4
    table.later(TURN_MS + 7000)
    table.did(table.act("pass"))
    assert table.play.banks_ms == (BANK_MS, BANK_MS, BANK_MS - 7000, BANK_MS)
    assert table.decision.since_ms == table.now_ms


def test_a_new_game_fills_the_banks() -> None:
    table = PureTable(target=1).started()
    table.later(TURN_MS + 7000)
    table.did(table.act())
    table.play_until_over()
    table.did(table.start(game="g2"))
    assert table.play.banks_ms == (BANK_MS,) * 4


def test_t3_a_play_before_the_deadline_counts_and_one_at_it_does_not() -> None:
    """T3. A play that reaches the server before the deadline counts; after it, it is refused; never both."""
    early, late = PureTable().started(), PureTable().started()
    early.later(TURN_MS + BANK_MS - 1)
    assert early.refused(early.act_for("clock")) == "stale"
    early.did(early.act("pass"))
    late.later(TURN_MS + BANK_MS)
    assert late.refused(late.act("pass")) == "stale"
    late.did(late.act_for("clock"))
    assert late.refused(late.act("pass", by="Ben", turn=late.turn - 1)) == "stale"


def test_t4_a_timer_that_fires_again_does_nothing() -> None:
    """T4. Every expired timer fired again later does nothing."""
    table = PureTable().started()
    fired = table.act_for("clock")
    assert table.refused(fired) == "stale"
    table.did(table.act("pass"))
    for _ in range(5):
        table.later(1000)
        assert table.refused(fired) == "stale"
    table.later(TURN_MS + BANK_MS)
    assert table.refused(fired) == "stale"
    for _ in range(5):
        table.did(table.act_for("clock"))
        assert table.refused(fired) == "stale"
        table.later(TURN_MS + BANK_MS)


def test_t6_time_given_back_is_an_event_with_a_reason_and_the_old_timer_does_nothing() -> None:
    """T6. Time given back after an outage is an event; a timer that ran out before it is too early now."""
    table = PureTable().started()
    table.later(3_600_000)
    fired = table.act_for("clock")
    over = table.now_ms - table.decision.since_ms - TURN_MS
    credit = Credit(table.turn, table.now_ms + 15_000, "the server was away")
    assert table.did(credit) == (TimeCredited(1, over + 15_000, "the server was away"),)
    assert table.refused(credit) == "nothing_to_do"  # another node saw the same outage
    assert clock.left_ms(table.state.room.clock, table.decision, BANK_MS, table.now_ms) == (15_000, BANK_MS)
    assert table.refused(fired) == "stale"
    table.later(14_999)
    table.did(table.act("pass"))
    assert table.play.banks_ms == (BANK_MS,) * 4


def test_t6_each_outage_in_one_decision_gives_time_back() -> None:
    table = PureTable().started()
    for _ in range(2):
        table.later(3_600_000)
        table.did(Credit(table.turn, table.now_ms + 15_000, "the server was away"))
        assert left_of(table) == (15_000, BANK_MS)


def test_t6_a_bots_decision_is_given_no_time_back() -> None:
    table = PureTable(people=1).started(dealer=0)
    table.later(3_600_000)
    assert table.refused(Credit(table.turn, table.now_ms + 15_000, "the server was away")) == "nothing_to_do"


def test_t4_a_credit_for_a_decision_that_was_taken_is_none() -> None:
    table = PureTable().started()
    turn = table.turn
    table.did(table.act("pass"))
    assert table.refused(Credit(turn, 1000, "late")) == "stale"


def test_what_the_server_does_where_no_decision_is_open_is_stale() -> None:
    """Before there is a game, while one waits for its deal, and after it: a bot thought, or a timer waited, so long."""
    table = PureTable(people=1, target=1)
    late: list[Command] = [ActFor(9, parse_action("pass"), "bot"), Credit(9, 1000, "late")]
    for command in (*late, DealHand(1, secret_of(2))):
        assert table.refused(command) == "stale"
    table.did(table.start())
    for command in late:
        assert table.refused(command) == "stale"
    table.dealt()
    late = [table.act_for("bot"), Credit(table.turn, 1000, "late")]
    table.play_until_over()
    for command in late:
        assert table.refused(command) == "stale"


# ── time that the others give ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("ms", [5000, TURN_MS + 5000])
def test_another_at_the_table_gives_the_one_who_thinks_so_much_more_time(ms: int) -> None:
    """On top of all he has, his own time first: what he took of the bank by then is there again."""
    table = PureTable().started(dealer=0)
    fired = table.act_for("clock")
    turn = table.turn
    table.later(ms)
    assert table.did(table.give_time("Cat")) == (TimeGiven(1, 2, clock.GIFT_MS),)
    assert table.turn == turn
    assert left_of(table) == (TURN_MS - ms + clock.GIFT_MS, BANK_MS)
    table.later(TURN_MS + BANK_MS - ms)
    assert table.refused(fired) == "stale"  # there is time left
    table.did(table.act("pass"))
    assert table.decision.gifts == 0


def test_one_decision_is_given_time_so_often_whoever_gives_it() -> None:
    table = PureTable().started(dealer=0)
    for at in range(clock.MOST_GIFTS):
        assert table.state.gift_ms == clock.GIFT_MS
        table.did(table.give_time(("Ann", "Cat", "Dan")[at % 3]))
    assert table.state.gift_ms is None
    assert table.refused(table.give_time("Ann")) == "enough_time"
    table.did(table.act("pass"))
    table.did(table.give_time("Ben"))


def test_nobody_gives_himself_time() -> None:
    table = PureTable().started(dealer=0)
    assert table.refused(table.give_time("Ben")) == "own_clock"


def test_time_is_given_by_people_who_sit_there() -> None:
    table = PureTable(people=3).started(dealer=0)
    assert table.refused(table.give_time("Eve")) == "not_seated"
    table.did(SitDown("eve", "Deep Barn", 3, 90, is_bot=True))
    assert table.refused(table.give_time("Eve")) == "not_for_bots"


def test_time_is_given_to_people_whose_clock_runs() -> None:
    bots_turn = PureTable(people=1).started(dealer=0)
    assert bots_turn.refused(bots_turn.give_time("Ann")) == "no_clock"
    program = PureTable(people=1)
    program.did(SitDown("eve", "Deep Barn", 1, 90, is_bot=True))
    program.started(dealer=0)
    assert program.state.gift_ms is None
    assert program.refused(program.give_time("Ann")) == "no_clock"
    away = PureTable().started(dealer=0)
    away.did(away.away("Ben", on=True))
    assert away.refused(away.give_time("Ann")) == "no_clock"
    clockless = PureTable(clock="none").started(dealer=0)
    assert clockless.state.gift_ms is None
    assert clockless.refused(clockless.give_time("Ann")) == "no_clock"


def test_time_for_a_decision_that_is_taken_or_over_is_stale() -> None:
    table = PureTable(target=1)
    assert table.refused(table.give_time("Ann", turn=3)) == "not_playing"
    table.did(table.start())
    assert table.refused(table.give_time("Ann", turn=3)) == "stale"
    table.dealt(dealer=0)
    late = table.give_time("Ann")
    table.did(table.act("pass"))
    assert table.refused(late) == "stale"
    table.play_until_over()
    assert table.refused(late) == "not_playing"


def test_time_that_ran_out_is_given_back_by_nobody() -> None:
    table = PureTable().started(dealer=0)
    table.later(TURN_MS + BANK_MS - 1)
    fired, late = table.act_for("clock"), table.give_time("Cat")
    table.did(table.give_time("Ann"))
    table.later(clock.GIFT_MS + 1)
    assert table.refused(late) == "stale"
    table.did(fired)


RULES_WITH = dict.fromkeys(Phase, make_rules("ladder")) | {
    Phase.NAME: make_rules("standard", {"jokers": 1}),
    Phase.EXCHANGE: make_rules("standard", {"partner_exchange": "call_for_best"}),
}
"""Rules under which each phase comes about."""


def table_in(phase: Phase) -> PureTable:
    """Return a table at which a decision of that phase is open."""
    for seed in range(100):
        table = PureTable(rules=RULES_WITH[phase], seed=seed).started()
        for _ in range(60):
            if table.game.stage.phase is phase:
                return table
            table.did(table.deal() if table.state.awaits_deal else table.act(str(table.random_action())))
    raise AssertionError(f"no game comes to {phase}")


@pytest.mark.parametrize("phase", [phase for phase in Phase if phase not in {Phase.DEAL, Phase.OVER}])
def test_t7_a_clock_that_runs_out_takes_one_decision_in_every_phase(phase: Phase) -> None:
    """T7. When the clock runs out, in the dealer's discard too, the bot's choice is played for that one decision."""
    table = table_in(phase)
    seat, turn = table.decision.seat, table.turn
    table.later(TURN_MS + BANK_MS)
    stood_in, *_ = table.did(table.act_for("clock"))
    assert stood_in == StoodIn(seat, "clock")
    assert table.play.banks_ms[seat] == 0
    assert not table.state.room.chairs[seat].away
    assert table.play.decision is None or table.turn > turn


def test_two_misses_in_a_row_make_a_person_away() -> None:
    table = PureTable(all_pass="redeal").started()

    def round_of(*, ben_is_late: bool) -> tuple[Any, ...]:
        happened: tuple[Any, ...] = ()
        for _ in range(4):
            if table.decision.seat == 1 and ben_is_late:
                table.later(TURN_MS + table.play.banks_ms[1])
                happened = table.did(table.act_for("clock", parse_action("pass")))
            else:
                table.did(table.act("pass"))
        if table.state.awaits_deal:
            table.did(table.deal())
        return happened

    assert WentAway(1) not in round_of(ben_is_late=True)
    round_of(ben_is_late=False)  # which makes up for it
    assert table.state.room.chairs[1].misses == 0
    while table.decision.seat != 1:
        table.did(table.act("pass"))
    table.later(TURN_MS)
    assert WentAway(1) not in table.did(table.act_for("clock", parse_action("pass")))
    while table.state.awaits_deal or table.decision.seat != 1:
        table.did(table.deal() if table.state.awaits_deal else table.act("pass"))
    table.later(TURN_MS)
    stood_in, passed, *_, went = table.did(table.act_for("clock", parse_action("pass")))
    assert (stood_in, passed, went) == (StoodIn(1, "clock"), Passed(1), WentAway(1))
    assert table.state.room.chairs[1].away


def test_who_says_that_he_is_back_has_missed_nothing() -> None:
    """The next clock of his that runs out is the first in a row."""
    table = PureTable(all_pass="redeal").started()
    table.later(TURN_MS + BANK_MS)
    table.did(table.act_for("clock", parse_action("pass")))
    for on in (True, False):
        table.did(table.away("Ben", on=on))
    while table.state.awaits_deal or table.decision.seat != 1:
        table.did(table.deal() if table.state.awaits_deal else table.act("pass"))
    table.later(TURN_MS)
    assert WentAway(1) not in table.did(table.act_for("clock", parse_action("pass")))


def left_of(table: PureTable) -> tuple[int, int] | None:
    """Return what is left of the open decision's own time, and of the bank."""
    decision = table.decision
    return clock.left_ms(table.state.room.clock, decision, table.play.banks_ms[decision.seat], table.now_ms)


@pytest.mark.parametrize("ms", [5000, TURN_MS + 5000, TURN_MS + BANK_MS + 5000])
def test_t1_toggling_away_buys_no_time(ms: int) -> None:
    """T1. Toggling away never changes a clock."""
    table = PureTable().started()
    table.later(ms)
    for on in (True, False, True, False):
        left = left_of(table)
        table.did(table.away("Ben", on=on))
        assert left_of(table) == left
    table.later(1000)
    used_ms = min(max(0, ms + 1000 - TURN_MS), BANK_MS)
    assert left_of(table) == (max(0, TURN_MS - ms - 1000), BANK_MS - used_ms)
    table.did(table.act("pass") if used_ms < BANK_MS else table.act_for("clock", parse_action("pass")))
    assert table.play.banks_ms[1] == BANK_MS - used_ms


@pytest.mark.parametrize("ms", [5000, TURN_MS + 5000, TURN_MS + BANK_MS + 5000])
def test_t1_who_lets_a_bot_decide_pays_for_the_time_he_took_himself(ms: int) -> None:
    """T1. Thinking long and being away in the end costs what deciding would have cost; the bot's own time is free."""
    table = PureTable().started()
    table.later(ms)
    table.did(table.away("Ben", on=True))
    table.later(3_600_000)
    table.did(table.act_for("away", parse_action("pass")))
    assert table.play.banks_ms[1] == BANK_MS - min(max(0, ms - TURN_MS), BANK_MS)


def test_t1_leaving_and_sitting_down_again_buys_no_time() -> None:
    """T1. Whoever leaves in his own turn and comes back at once has given the hand away: a bot plays it."""
    table = PureTable().started()
    table.later(TURN_MS + 5000)
    table.did(table.stand_up("Ben"))
    table.later(100)
    table.did(table.sit_down("Ben", 1))
    assert table.refused(table.act("pass")) == "not_playing"
    table.did(table.act_for("bot"))
    assert table.play.banks_ms == (BANK_MS, BANK_MS - 5000, BANK_MS, BANK_MS)


def test_s11_who_sits_down_in_mid_hand_plays_and_is_asked_from_the_next_deal_on() -> None:
    """S11. The bot that was in the seat plays the hand to its end, in no time of the newcomer's."""
    table = PureTable(people=1)
    table.did(table.fill(seat=1, level="easy"))
    table.started(dealer=0)
    table.did(table.sit_down("Ben", 1))
    assert table.decision.seat == 1
    assert table.state.room.chairs[1].level == "easy"
    assert viewer_of(table.state, "ben") == WATCHER
    assert table.refused(table.act("pass", by="Ben")) == "not_playing"
    table.later(TURN_MS + BANK_MS)
    assert table.refused(table.act_for("clock")) == "stale"
    while not table.state.awaits_deal:
        seat = table.decision.seat
        table.did(table.act() if seat == 0 else table.act_for("bot"))
    assert viewer_of(table.state, "ben") == WATCHER
    table.dealt()
    chair = table.state.room.chairs[1]
    assert (viewer_of(table.state, "ben"), chair.since, chair.level, chair.misses) == (1, table.state.seq, None, 0)
    assert table.play.banks_ms[1] == BANK_MS


def test_who_sits_down_between_hands_or_games_plays_at_once() -> None:
    table = PureTable(people=1, target=99).started()
    while not table.state.awaits_deal:
        table.did(table.act() if table.decision.seat == 0 else table.act_for("bot"))
    table.did(table.sit_down("Ben", 1))
    assert viewer_of(table.state, "ben") == 1


def test_a_table_remembers_the_commands_of_so_many_players_and_of_all_who_sit_there() -> None:
    """Who came first and left is forgotten first; his command, come again, is decided anew: he does not sit here."""
    table = PureTable(people=2)
    table.did(leave := table.stand_up("Ben"))
    assert table.repeated(leave)
    for number in range(80):
        table.did(table.sit_down(f"Guest{number}", 1))
        table.did(table.stand_up(f"Guest{number}"))
        assert len(table.state.known) <= 32
    assert "ann" in table.state.known
    assert table.refused(leave) == "not_seated"


def test_a_bots_time_costs_no_bank() -> None:
    table = PureTable(people=1).started(dealer=0)
    table.later(10 * BANK_MS)
    table.did(table.act_for("bot"))
    assert table.play.banks_ms == (BANK_MS,) * 4


# ── away and back ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_bot_decides_for_a_person_who_is_away() -> None:
    table = PureTable().started()
    assert table.did(table.away("Ben", on=True)) == (WentAway(1),)
    assert table.did(table.act_for("away", parse_action("pass"))) == (
        StoodIn(1, "away"),
        *table.happened[1:],
    )
    assert table.state.room.chairs[1].away
    assert table.refused(table.away("Ben", on=True)) == "nothing_to_do"


def test_s2_who_is_back_before_the_bot_decided_decides_himself() -> None:
    """S2. The human returns while a bot's decision is on its way: one decision a turn, and it is his."""
    table = PureTable().started()
    table.did(table.away("Ben", on=True))
    on_its_way = table.act_for("away", parse_action("order"))
    assert table.did(table.away("Ben", on=False)) == (CameBack(1),)
    assert table.refused(on_its_way) == "stale"
    table.did(table.act("pass"))
    assert table.refused(on_its_way) == "stale"


def test_s2_who_acts_while_he_is_away_is_back() -> None:
    """S2. A person who acts is there, before the bot that stands in for him has decided."""
    table = PureTable().started()
    table.did(table.away("Ben", on=True))
    on_its_way = table.act_for("away", parse_action("order"))
    came_back, _ = table.did(table.act("pass"))
    assert came_back == CameBack(1)
    assert not table.state.room.chairs[1].away
    assert table.refused(on_its_way) == "stale"


def test_a_bot_decides_on_its_way_when_a_person_takes_its_seat() -> None:
    """S11. The hand is the bot's to its end, also what it was about to do."""
    table = PureTable(people=1).started(dealer=0)
    on_its_way = table.act_for("bot", parse_action("order"))
    table.did(table.sit_down("Ben", 1))
    table.did(on_its_way)


def test_only_the_seats_own_bot_decides() -> None:
    table = PureTable().started()
    for why in ("bot", "away"):
        assert table.refused(table.act_for(why)) == "stale"
    table.later(TURN_MS + BANK_MS)
    for why in ("bot", "away"):
        assert table.refused(table.act_for(why)) == "stale"


def test_a_person_who_returns_unasked_is_back_without_a_ref() -> None:
    table = PureTable().started()
    table.did(table.away("Ben", on=True))
    known = dict(table.state.known)
    assert table.did(SetAway("ben", on=False, ref=0, why="returned")) == (CameBack(1),)
    assert table.state.known == known


def test_a_bot_that_wants_what_is_not_legal_is_refused() -> None:
    table = PureTable(people=1).started(dealer=0)
    assert table.refused(ActFor(table.turn, parse_action("play 9h"), "bot")) == "wrong_phase"


def test_away_is_for_those_who_sit_there() -> None:
    table = PureTable(people=2)
    assert table.refused(table.away("Eve", on=True)) == "not_seated"
    assert table.refused(table.away("Ben", on=False)) == "nothing_to_do"


# ── the end ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_closed_table_takes_nothing() -> None:
    table = PureTable().started()
    commands: list[Command] = [
        table.sit_down("Eve"),
        table.stand_up("Ben"),
        table.fill(),
        table.start(),
        table.act(),
        table.act_for("clock"),
        table.away("Ben", on=True),
        table.give_time("Ann"),
        Credit(table.turn, 1, "why"),
        Close("again"),
        DealHand(2, secret_of(3)),
    ]
    assert table.did(Close("nobody was here")) == (TableClosed("nobody was here"),)
    for command in commands:
        assert table.refused(command) == "table_closed"


def test_h4_the_next_game_starts_from_a_fresh_view() -> None:
    """H4. A rematch starts from a fresh view: nothing of the last game is in it."""
    table = PureTable(target=1).started()
    table.play_until_over()
    assert isinstance(table.game.stage, Finished)
    table.did(table.start(game="g2"))
    for viewer in (0, 1, 2, 3):
        seen = view_for(table.game, viewer)
        assert (seen.cards, seen.tricks, seen.revealed, seen.result, seen.score) == ((), (), None, None, (0, 0))


# ── the log ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_log_comes_to_the_table_it_was_made_from() -> None:
    table = PureTable(people=3, preset="ladder").started()
    table.later(5000)
    table.did(table.away("Ben", on=True))
    table.did(table.stand_up("Cat"))
    table.did(table.away("Ben", on=False))
    table.play_until_over()
    table.did(table.start(game="g2"))
    table.did(Close("enough"))
    assert refold(table.stored) == table.state


def test_entries_hold_inputs_and_nothing_derived() -> None:
    """What a fold can tell is not in the log: not even the seat of an act."""
    table = PureTable(people=1).started(dealer=0)
    table.did(table.act_for("bot", parse_action("pass")))
    opened, started, dealt, acted = entries(table.stored)
    assert acted == Acted(turn=3, action="pass", player="", ref=0, why="bot")
    assert (started.player, dealt.dealer) == ("ann", 0)
    assert opened.player == "ann"


@pytest.mark.parametrize(
    "stored", [b"", b"\x00", b"\xc1", pack_entry(SatDown(1, "p", "P", 1))[:-1], b"\x81\xa1k\xa4What", b"\x80"]
)
def test_bytes_that_are_no_entry_are_not_read(stored: bytes) -> None:
    with pytest.raises((ValueError, KeyError)):
        unpack_entry(stored)


def test_entries_come_back_from_their_bytes() -> None:
    for entry in (Filled((1, 3), "easy", "p", 4), SatDown(2, "p", "Zoë ♥", 2**53 - 1)):
        assert unpack_entry(pack_entry(entry)) == entry
