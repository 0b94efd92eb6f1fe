"""Where the program begins. It takes a moment to be imported, and Ctrl-C in that moment ends it without a word."""

from __future__ import annotations

import signal


def main() -> int:
    """Run the command line of the process; return the exit status."""
    is_usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_usual:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from clients.cli.main import main as run  # what takes the moment

    if is_usual:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return run()
