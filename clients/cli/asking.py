"""Questions on the screen: numbered choices under what one must know to choose."""

from __future__ import annotations

from collections.abc import Iterable

from clients.cli.choices import Decision
from clients.cli.narrator import Narrator
from clients.cli.screen import Screen
from clients.cli.situation import hand_line
from protocol.outgoing import Prompt


def show_choices(screen: Screen, question: str, choices: Iterable[str]) -> None:
    """Print *question* and the choices, numbered from 1."""
    screen.heading(question)
    for number, words in enumerate(choices, start=1):
        screen.line(f" {number}. {words}", indent=4)


def show_decision(screen: Screen, narrator: Narrator, decision: Decision, prompt: Prompt) -> None:
    """Print how the game stands, what may be done, and which cards may not be used and why."""
    screen.line()
    narrator.show_situation()
    if narrator.at.view is not None and not decision.is_about_cards:
        screen.line(hand_line(narrator.at.view), indent=2)
    show_choices(screen, decision.question + _time_words(prompt), [choice.words for choice in decision.choices])
    for barred in decision.barred:
        screen.aside(f" -  {barred.words}: {barred.why}", indent=4)


def total_s(prompt: Prompt) -> float | None:
    """Return the seconds left for a decision, bank and all; None without a clock."""
    left_ms = prompt["left_ms"]
    return None if left_ms is None else (left_ms + (prompt["bank_ms"] or 0)) / 1000


def _time_words(prompt: Prompt) -> str:
    left_ms, bank_ms = prompt["left_ms"], prompt["bank_ms"]
    if left_ms is None:
        return ""
    bank = f" and {round(bank_ms / 1000)} s in the bank" if bank_ms else ""
    return f" ({round(left_ms / 1000)} s{bank})"
