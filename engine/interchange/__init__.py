"""Games to and from the formats of others: EGN, PTN, OpenSpiel's lists; and out as CSV and text."""

from engine.interchange.formats import FORMATS, Format, Loaded, guess_format
from engine.interchange.reports import InterchangeError, Loss
from engine.interchange.source import decode
from engine.interchange.study import Study, StudyHand, study_lines

__all__ = [
    "FORMATS",
    "Format",
    "InterchangeError",
    "Loaded",
    "Loss",
    "Study",
    "StudyHand",
    "decode",
    "guess_format",
    "study_lines",
]
