"""The window in which the maker's side may still choose to play alone (R-ALONE-2)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.actions import ALONE, TOGETHER, Action, AnswerAlone
from engine.cards import PARTNER_OF, Seat
from engine.errors import Code
from engine.events import AloneDecided, Events
from engine.exchange import begin_exchange
from engine.rules import Alone, AloneTiming, Rules
from engine.state import Game, Made, Phase, Standing


@dataclass(frozen=True, slots=True)
class AloneWindow:
    """The maker's side is asked: the maker, then the maker's partner if he may and the maker declined."""

    made: Made
    to_act: Seat

    @property
    def phase(self) -> Phase:
        """The phase's name."""
        return Phase.ALONE

    @property
    def sitting(self) -> tuple[Seat, ...]:
        """Nobody yet."""
        return ()

    def legal_actions(self, rules: Rules) -> tuple[Action, ...]:
        """Yes or no."""
        return ALONE, TOGETHER

    def why_illegal(self, rules: Rules, action: Action) -> Code:
        """Anything but the two answers is for another time."""
        return Code.WRONG_PHASE

    def accept(self, standing: Standing, action: Action) -> tuple[Game, Events]:
        """Take the answer; the first yes closes the window."""
        assert isinstance(action, AnswerAlone)
        seat, made = self.to_act, self.made
        event = AloneDecided(seat, action.alone)
        made = replace(made, calls=(*made.calls, (seat, action)), alone=(seat,) if action.alone else made.alone)
        if not action.alone and seat == made.maker and standing.rules.alone is Alone.MAKER_SIDE:
            return Game(standing, AloneWindow(made, PARTNER_OF[seat])), (event,)
        game, events = begin_exchange(standing, made)
        return game, (event, *events)


def open_alone_window(standing: Standing, made: Made) -> tuple[Game, Events]:
    """Ask the maker's side about alone where that is said before the first lead; else go on (R-ALONE-2)."""
    rules = standing.rules
    if rules.alone is not Alone.OFF and rules.alone_timing is AloneTiming.BEFORE_FIRST_LEAD:
        return Game(standing, AloneWindow(made, made.maker)), ()
    return begin_exchange(standing, made)
