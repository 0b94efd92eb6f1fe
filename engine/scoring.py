"""What a finished hand scores, and when the game ends (RULES.md §7, §9)."""

from __future__ import annotations

from engine.cards import CARDS_PER_HAND, LEFT_OF, Seat, team_of
from engine.events import Events, GameOver, HandScored, HandsRevealed, HandThrownIn, Reason
from engine.rules import Rules
from engine.state import AwaitingDeal, Finished, Game, Made, Stage, Standing

_MADE_POINTS, _MARCH_POINTS, _EUCHRE_POINTS = 1, 2, 2
_TRICKS_OF_A_LONE_DEFENDER = 3


def score_hand(
    rules: Rules, *, maker: Seat, alone: tuple[Seat, ...], tricks: tuple[int, int]
) -> tuple[int, int, Reason]:
    """Return which team scores, how much and why (R-SCORE-1 to R-SCORE-6).

    *alone* are the seats that played alone, of either side; *tricks* are by team.
    """
    makers = team_of(maker)
    defenders = 1 - makers
    lone_maker = any(team_of(seat) == makers for seat in alone)
    lone_defender = any(team_of(seat) == defenders for seat in alone)
    taken = tricks[makers]
    needed = CARDS_PER_HAND if lone_maker and rules.lone_must_sweep else rules.tricks_needed
    if taken >= needed:
        if taken < CARDS_PER_HAND:
            return makers, _MADE_POINTS, Reason.MADE
        return (makers, rules.lone_march, Reason.LONE_MARCH) if lone_maker else (makers, _MARCH_POINTS, Reason.MARCH)
    # Where several are the most, the first is told: the rarest feat.
    bonuses = [(rules.super_euchre, Reason.SUPER_EUCHRE)] if taken == 0 and rules.super_euchre else []
    if lone_defender and tricks[defenders] >= _TRICKS_OF_A_LONE_DEFENDER:
        bonuses.append((rules.lone_defender, Reason.LONE_DEFENDER))
    bonuses.append((rules.lone_euchred, Reason.LONE_EUCHRED) if lone_maker else (_EUCHRE_POINTS, Reason.EUCHRED))
    points, reason = max(bonuses, key=lambda bonus: bonus[0])
    return defenders, points, reason


def winner_of(rules: Rules, score: tuple[int, int], hands_scored: int) -> tuple[bool, int | None]:
    """Tell whether the game is over after a scored hand, and which team won; None is a draw (R-GAME-1, R-GAME-2).

    ``win_by`` counts in games to a target; a fixed number of hands ends when they are played.
    """
    leader = None if score[0] == score[1] else int(score[1] > score[0])
    if rules.target is None:
        return hands_scored == rules.hands, leader
    over = max(score) >= rules.target and abs(score[0] - score[1]) >= rules.win_by
    return over, leader


def finish_hand(standing: Standing, last: Stage, made: Made, tricks: tuple[int, int]) -> tuple[Game, Events]:
    """Score the hand that ended in stage *last*; go on to the next deal or the end (R-DEAL-2, R-GAME-1)."""
    rules = standing.rules
    team, points, reason = score_hand(rules, maker=made.maker, alone=made.alone, tricks=tricks)
    score = (
        standing.score[0] + (points if team == 0 else 0),
        standing.score[1] + (points if team == 1 else 0),
    )
    result = HandScored(
        maker=made.maker,
        alone=any(team_of(seat) == team_of(made.maker) for seat in made.alone),
        tricks=tricks,
        team=team,
        points=points,
        reason=reason,
        score=score,
    )
    dealt = made.dealt
    events: Events = (result, HandsRevealed(dealt.hands, dealt.upcard, dealt.buried))
    scored = Standing(rules, score, standing.hands_dealt, standing.hands_scored + 1)
    over, winner = winner_of(rules, score, scored.hands_scored)
    if over:
        return Game(scored, Finished(last, result, winner)), (*events, GameOver(winner, score))
    return Game(scored, AwaitingDeal(last, result, LEFT_OF[dealt.dealer])), events


def throw_in(standing: Standing, last: Stage, next_dealer: Seat) -> tuple[Game, Events]:
    """End a hand nobody called: no score, not counted (R-DEAL-3)."""
    return Game(standing, AwaitingDeal(last, None, next_dealer)), (HandThrownIn(next_dealer),)
