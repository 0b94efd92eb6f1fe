"""What we chose where custom differs (RULES.md §13)."""

from __future__ import annotations

from engine.cards import Card
from engine.claims import wins_every_trick
from engine.events import CardsSwapped, SecretRevealed
from engine.game import to_act
from engine.rules import make_rules
from engine.scoring import winner_of
from engine.state import Phase
from engine.view import WATCHER, redact
from tests.engine.table import after, cards, happened, legal, table


def test_call_for_best_is_open_to_whoever_of_the_makers_side_plays_alone() -> None:
    """R-ALONE-6: the maker's partner too, and the card that comes back may be the one that went."""
    game = table(upcard="9h", partner_exchange="call_for_best", alone="maker_side", alone_timing="before_first_lead")
    game = after(game, "order", "discard 9h", "together", "alone")
    assert game.stage.phase is Phase.EXCHANGE
    assert to_act(game) == 3
    gift = legal(game)[0]
    game = after(game, gift)
    assert to_act(game) == 1
    assert gift in legal(game)
    assert after(game, gift).stage.phase is Phase.PLAY


def test_what_was_swapped_before_is_not_swapped_again() -> None:
    """R-RELIEF-3: a second claim takes the three cards that lie first by then."""
    game = table(
        hands={1: "8s 9s 8h 9h 8d", 2: "Ts Th 9d Td 8c"}, low_rank=8, relief="swap3", relief_hand="no_ace_no_face"
    )
    buried = game.stage.dealt.buried  # type: ignore[attr-defined]
    game, first = happened(game, legal(game)[-1])
    game, second = happened(after(game, "pass"), next(text for text in legal(after(game, "pass")) if "relief" in text))
    taken = [event.taken for event in (*first, *second) if isinstance(event, CardsSwapped)]
    assert taken == [buried[:3], buried[3:6]]


def test_a_claim_does_not_count_on_the_partner() -> None:
    """R-PLAY-6: a partner who may hold the higher card takes the lead, and with it the claimer's certainty."""
    hand, higher = cards("Ks"), frozenset({Card("As")})
    assert not wins_every_trick(hand, {3: higher}, "h")
    assert wins_every_trick(hand, {3: frozenset({Card("Qs")})}, "h")


def test_win_by_counts_in_games_to_a_target_only() -> None:
    """R-GAME-4: a fixed number of hands ends when they are played, even at a draw."""
    fixed = make_rules("standard", {"target": None, "hands": 4, "win_by": 2})
    assert winner_of(fixed, (3, 2), 4) == (True, 0)
    assert winner_of(fixed, (3, 3), 4) == (True, None)
    assert winner_of(make_rules("standard", {"win_by": 2}), (10, 9), 12) == (False, 0)


def test_the_secret_of_a_deal_is_for_those_who_see_its_cards() -> None:
    """R-VIEW-5: whoever has the secret can deal the hand again."""
    secret = SecretRevealed(1, "00" * 32, ("", "", "", ""))
    for reveal, spectator_hands, seats, watchers in (
        ("all", "never", True, False),
        ("all", "after_hand", True, True),
        ("own_only", "after_hand", False, False),
    ):
        rules = make_rules("standard", {"reveal": reveal, "spectator_hands": spectator_hands})
        assert (redact(secret, 2, rules) is not None) == seats
        assert (redact(secret, WATCHER, rules) is not None) == watchers
