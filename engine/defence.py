"""The window in which a defender may choose to play alone (R-ALONE-3)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.actions import DEFEND_ALONE, DEFEND_TOGETHER, Action, AnswerDefence
from engine.cards import LEFT_OF, PARTNER_OF, Seat, clockwise_from, team_of
from engine.errors import Code
from engine.events import DefenceDecided, Events
from engine.play import start_play
from engine.rules import DefendAlone, Rules
from engine.state import Game, Made, Phase, Standing


@dataclass(frozen=True, slots=True)
class DefenceWindow:
    """The defenders are asked from the dealer's left; the first yes closes the window."""

    made: Made
    to_act: Seat

    @property
    def phase(self) -> Phase:
        """The phase's name."""
        return Phase.DEFEND

    @property
    def sitting(self) -> tuple[Seat, ...]:
        """A lone maker's partner."""
        return self.made.sitting

    def legal_actions(self, rules: Rules) -> tuple[Action, ...]:
        """Yes or no."""
        return DEFEND_ALONE, DEFEND_TOGETHER

    def why_illegal(self, rules: Rules, action: Action) -> Code:
        """Anything but the two answers is for another time."""
        return Code.WRONG_PHASE

    def accept(self, standing: Standing, action: Action) -> tuple[Game, Events]:
        """Take the answer and ask the other defender, or begin to play."""
        assert isinstance(action, AnswerDefence)
        seat, made = self.to_act, self.made
        event = DefenceDecided(seat, action.alone)
        made = replace(
            made, calls=(*made.calls, (seat, action)), alone=(*made.alone, seat) if action.alone else made.alone
        )
        if not action.alone and seat == _defenders(made)[0]:
            return Game(standing, DefenceWindow(made, PARTNER_OF[seat])), (event,)
        game, events = start_play(standing, made)
        return game, (event, *events)


def open_defence_window(standing: Standing, made: Made) -> tuple[Game, Events]:
    """Ask the defenders where they may play alone; else begin to play (R-ALONE-3)."""
    option = standing.rules.defend_alone
    if option is DefendAlone.ANY or (option is DefendAlone.VS_LONE and made.alone):
        return Game(standing, DefenceWindow(made, _defenders(made)[0])), ()
    return start_play(standing, made)


def _defenders(made: Made) -> list[Seat]:
    return [seat for seat in clockwise_from(LEFT_OF[made.dealt.dealer]) if team_of(seat) != team_of(made.maker)]
