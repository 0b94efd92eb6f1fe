"""The rules of Euchre as pure functions over frozen state. RULES.md is normative; code names the rule ids it keeps."""

from engine.actions import Action, action_from_plain, parse_action
from engine.cards import Card, Cards, Seat, Suit, Trump, parse_card, parse_cards
from engine.errors import CardTextError, Code, EngineError, IllegalActionError, RulesError
from engine.events import Event, Events
from engine.game import apply, deal, legal_actions, new_game, phase_of, to_act
from engine.rules import PRESETS, Rules, make_rules, rules_from_plain, rules_to_plain
from engine.state import Game, Phase
from engine.view import WATCHER, View, Viewer, advance, redact, redact_all, view_for

__all__ = [
    "PRESETS",
    "WATCHER",
    "Action",
    "Card",
    "CardTextError",
    "Cards",
    "Code",
    "EngineError",
    "Event",
    "Events",
    "Game",
    "IllegalActionError",
    "Phase",
    "Rules",
    "RulesError",
    "Seat",
    "Suit",
    "Trump",
    "View",
    "Viewer",
    "action_from_plain",
    "advance",
    "apply",
    "deal",
    "legal_actions",
    "make_rules",
    "new_game",
    "parse_action",
    "parse_card",
    "parse_cards",
    "phase_of",
    "redact",
    "redact_all",
    "rules_from_plain",
    "rules_to_plain",
    "to_act",
    "view_for",
]
