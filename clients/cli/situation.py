"""How the game stands, in the lines shown at every decision. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from clients.cli.cardwords import contract, hand_row, named, row, short
from clients.cli.naming import Naming
from clients.cli.rulewords import aim
from engine.cards import clockwise_from, trick_winner
from engine.state import UpcardFate
from engine.view import TrickSeen, View


def situation(view: View, rules: Mapping[str, object], naming: Naming) -> list[str]:
    """Return how the game stands: score, dealer, trump, maker, tricks, and the cards on the table from the led one."""
    return [score_line(view, rules, naming), *_contract_lines(view, naming), *_table_lines(view, naming)]


def score_line(view: View, rules: Mapping[str, object], naming: Naming) -> str:
    """Return the score, what ends the game, and who deals."""
    dealer = "" if view.dealer is None else f" Dealer: {naming.who(view.dealer)}."
    return f"Score: {naming.tally(view.score)} ({aim(rules)}).{dealer}"


def _contract_lines(view: View, naming: Naming) -> Iterator[str]:
    if view.trump is None:
        if view.upcard is not None:
            fate = "turned down" if view.upcard_fate is UpcardFate.TURNED_DOWN else "the upcard"
            yield f"Trump: not made yet; {short(view.upcard)} is {fate}."
        return
    assert view.maker is not None
    alone = "".join(f" {naming.subject(seat, 'play')} alone." for seat in view.alone)
    gone = "".join(f" You {done}." for done in _put_away(view))
    made = f"Trump: {contract(view.trump)}, made by {naming.who(view.maker)}."
    yield f"{made}{alone}{gone} Tricks: {naming.tally(view.won)}."


def _put_away(view: View) -> Iterator[str]:
    """Yield what the viewer did with cards of its hand that it has no more and did not play."""
    if view.put_away:
        yield f"put {row(view.put_away)} under the deck"
    if view.given is not None:
        yield f"passed {short(view.given)}"
    if view.discard is not None:
        yield f"buried {short(view.discard)}"


def _table_lines(view: View, naming: Naming) -> Iterator[str]:
    if not view.trick or view.trump is None:
        return
    (leader, led), *others = view.trick
    played = [f"{naming.who(leader)} led {named(led, view.trump)}"]
    played += [f"{naming.who(seat)} {named(card, view.trump)}" for seat, card in others]
    winner = view.trick[trick_winner([card for _, card in view.trick], view.trump)][0]
    winning = f" {naming.subject(winner, 'are winning')}." if others else ""
    yield f"Trick {len(view.tricks) + 1}: {', '.join(played)}.{winning}"


def hand_line(view: View) -> str:
    """Return the viewer's own cards, trump first."""
    return f"Your hand: {hand_row(view.cards, view.trump)}" if view.cards else "You hold no cards."


def trick_line(trick: TrickSeen, view: View, naming: Naming) -> str:
    """Return a finished trick: who led, who played what, who won."""
    (leader, led), *others = trick.cards
    played = [f"{naming.who(leader)} led {named(led, view.trump)}"]
    played += [f"{naming.who(seat)} {named(card, view.trump)}" for seat, card in others]
    return f"{', '.join(played)}. Won by {naming.who(trick.winner)}."


def last_trick_lines(view: View, naming: Naming) -> list[str]:
    """Return the last trick of this hand, or that there is none."""
    return (
        [f"Last trick: {trick_line(view.tricks[-1], view, naming)}"] if view.tricks else ["No trick is finished yet."]
    )


def deal_lines(view: View, naming: Naming) -> list[str]:
    """Return all the cards of the finished hand as they were dealt, or why they are not shown."""
    shown = view.revealed
    if shown is None:
        return ["The hands are shown when a hand is over, where the rules of the table allow it."]
    start = view.viewer if isinstance(view.viewer, int) else 0
    lines = [f"{naming.opening(seat)}: {hand_row(shown.hands[seat], view.trump)}" for seat in clockwise_from(start)]
    return [*lines, f"Upcard: {short(shown.upcard)}. Buried: {row(shown.buried)}"]


def seat_lines(naming: Naming, kinds: Mapping[int, str]) -> list[str]:
    """Return who sits where, with what *kinds* says of a seat ("bot", "away", …)."""
    start = naming.viewer if isinstance(naming.viewer, int) else 0
    return [
        f"{naming.place(seat).capitalize()}: {naming.names[seat] or 'nobody'}{kinds.get(seat, '')}"
        for seat in clockwise_from(start)
    ]
