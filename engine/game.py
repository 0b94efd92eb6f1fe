"""The way in: make a game, deal, ask what is legal, apply an action. Pure functions over frozen state."""

from __future__ import annotations

from dataclasses import replace

from engine.actions import Action
from engine.bidding import RoundOne
from engine.cards import BENNY, CARDS_PER_HAND, LEFT_OF, SEATS, Cards, Seat, clockwise_from, make_pack
from engine.errors import Code, IllegalActionError
from engine.events import CardsDealt, Events, FourHands, HandDealt
from engine.naming import NamingTrump
from engine.rules import BennyTurned, Rules
from engine.state import AwaitingDeal, Dealt, Game, Phase, Standing

_UPCARD_AT = 4 * CARDS_PER_HAND


def new_game(rules: Rules) -> Game:
    """Return a game before its first deal."""
    return Game(Standing(rules), AwaitingDeal(None, None, None))


def deal(game: Game, deck: Cards, *, dealer: Seat) -> tuple[Game, Events]:
    """Deal *deck*, a permutation of the pack in the order of R-DEAL-1, for *dealer*.

    Any seat may deal the first hand (R-DEAL-2); later hands have one right dealer. Events: HandDealt, then one
    CardsDealt a seat from the dealer's left, but for a dealer who names trump blind (R-BID-7). Raises
    IllegalActionError with GAME_OVER, WRONG_PHASE or BAD_DEAL.
    """
    stage, standing = game.stage, game.standing
    if not isinstance(stage, AwaitingDeal):
        raise IllegalActionError(Code.GAME_OVER if stage.phase is Phase.OVER else Code.WRONG_PHASE)
    if dealer not in SEATS or stage.dealer not in (None, dealer):
        raise IllegalActionError(Code.BAD_DEAL, f"seat {dealer} does not deal this hand")
    pack = make_pack(standing.rules.low_rank, standing.rules.jokers)
    if sorted(deck) != sorted(pack):
        raise IllegalActionError(Code.BAD_DEAL, f"the deck is not the {len(pack)}-card pack of this game")
    number = standing.hands_dealt + 1
    order = clockwise_from(LEFT_OF[dealer])
    dealt_to = {seat: deck[at * CARDS_PER_HAND : (at + 1) * CARDS_PER_HAND] for at, seat in enumerate(order)}
    hands: FourHands = (dealt_to[0], dealt_to[1], dealt_to[2], dealt_to[3])
    dealt = Dealt(number, dealer, hands, deck[_UPCARD_AT], deck[_UPCARD_AT + 1 :])
    after = Standing(standing.rules, standing.score, number, standing.hands_scored)
    option = standing.rules.benny_turned
    dealer_names = dealt.upcard == BENNY and option is not BennyTurned.AS_SPADES
    is_blind = dealer_names and option is BennyTurned.DEALER_NAMES_BLIND
    seen_by = [seat for seat in order if not (is_blind and seat == dealer)]
    events: Events = (HandDealt(number, dealer, dealt.upcard), *(CardsDealt(seat, dealt_to[seat]) for seat in seen_by))
    if dealer_names:
        return Game(after, NamingTrump(dealt, is_blind)), events
    return Game(after, RoundOne(dealt, hands, dealt.buried, (), LEFT_OF[dealer])), events


def passed_on(game: Game) -> Game:
    """Return *game*, whose hand was just dealt, with every hand dealt one seat further on."""
    stage, standing = game.stage, game.standing
    assert isinstance(stage, RoundOne | NamingTrump)
    dealt = stage.dealt
    hands = [card for seat in clockwise_from(dealt.dealer) for card in dealt.hands[seat]]
    before = Game(replace(standing, hands_dealt=dealt.number - 1), AwaitingDeal(None, None, None))
    return deal(before, (*hands, dealt.upcard, *dealt.buried), dealer=dealt.dealer)[0]


def to_act(game: Game) -> Seat | None:
    """Return the one seat asked for a decision; None between hands and when the game is over."""
    return game.stage.to_act


def phase_of(game: Game) -> Phase:
    """Return the phase's name."""
    return game.stage.phase


def legal_actions(game: Game) -> tuple[Action, ...]:
    """Return every action the seat to act may take, in a stable order; empty when no seat is asked."""
    return game.stage.legal_actions(game.standing.rules)


def apply(game: Game, seat: Seat, action: Action) -> tuple[Game, Events]:
    """Take *action* for *seat*: the game after it, and what happened in order.

    Raises IllegalActionError with GAME_OVER, SITTING_OUT, WRONG_PHASE, NOT_YOUR_TURN or the phase's own reason,
    tested in that order, and leaves *game* as it was.
    """
    stage, standing = game.stage, game.standing
    if seat != stage.to_act or action not in stage.legal_actions(standing.rules):
        raise IllegalActionError(why_illegal(game, seat, action))
    return stage.accept(standing, action)


def why_illegal(game: Game, seat: Seat, action: Action) -> Code:
    """Return why *action*, which is not legal for *seat* now, is refused."""
    stage, rules = game.stage, game.standing.rules
    if stage.to_act is None:
        return stage.why_illegal(rules, action)
    if seat != stage.to_act and seat in stage.sitting:
        return Code.SITTING_OUT
    if type(action) not in {type(legal) for legal in stage.legal_actions(rules)}:
        reason = stage.why_illegal(rules, action)
        if reason is Code.WRONG_PHASE or seat == stage.to_act:
            return reason
    if seat != stage.to_act:
        return Code.NOT_YOUR_TURN
    return stage.why_illegal(rules, action)
