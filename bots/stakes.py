"""What a hand and a trick are worth to a seat, from the score and the table's rules."""

from __future__ import annotations

from engine.cards import CARDS_PER_HAND, Seat, team_of
from engine.rules import Rules
from engine.view import View


def side_made_trump(view: View, seat: Seat) -> bool:
    """Tell whether *seat*'s side made trump."""
    return view.maker is not None and team_of(view.maker) == team_of(seat)


def must_win_the_rest(view: View, rules: Rules, seat: Seat) -> bool:
    """Tell whether *seat*'s side needs every trick left for the next thing it can still reach.

    Makers reach for their mark, then for all five. Defenders reach for the euchre, then to stop a march.
    """
    ours, theirs = view.won[team_of(seat)], view.won[1 - team_of(seat)]
    left = CARDS_PER_HAND - ours - theirs
    mark = _tricks_makers_need(view, rules)
    goals = (mark, CARDS_PER_HAND) if side_made_trump(view, seat) else (1, CARDS_PER_HAND + 1 - mark)
    reachable = [goal - ours for goal in goals if ours < goal <= ours + left]
    return bool(reachable) and reachable[-1 if not side_made_trump(view, seat) else 0] == left


def is_decided(view: View, rules: Rules) -> bool:
    """Tell whether no trick left can change what the hand scores."""
    maker = view.maker
    assert maker is not None
    made, lost = view.won[team_of(maker)], view.won[1 - team_of(maker)]
    mark = _tricks_makers_need(view, rules)
    is_euchred = lost > CARDS_PER_HAND - mark
    return (made >= mark and lost > 0) or (is_euchred and (made > 0 or not rules.super_euchre))


def _tricks_makers_need(view: View, rules: Rules) -> int:
    maker = view.maker
    lone = maker is not None and any(team_of(seat) == team_of(maker) for seat in view.alone)
    return CARDS_PER_HAND if lone and rules.lone_must_sweep else rules.tricks_needed
