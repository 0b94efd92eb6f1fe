"""Programs as bots, for `sh`: a good one, and one for each way of being bad."""

from __future__ import annotations

import shlex

FIRST = """printf '%s\\n' "$line" | sed 's/.*"legal":\\["\\([^"]*\\)".*/\\1/'"""


def program(body: str, *, before: str = ":") -> str:
    """Return the command of a program that does *body* for every line, after *before*."""
    return shlex.join(["sh", "-c", f"{before}; while read -r line; do {body}; done"])


GOOD = program(FIRST)
QUOTES = program("""printf '%s\\n' "$line" | sed 's/.*"legal":\\[\\("[^"]*"\\).*/\\1/'""")
CHATTERS = program(f"echo thinking about it; {FIRST}; echo; echo '# that was hard'", before="echo hello")
LIES = program("echo play 9x")
DIES = program("exit 3")
HANGS = program("sleep 60")
FLOODS = program("yes chatter")
LONG_LINE = program("head -c 100000 /dev/zero")
CLOSES_ITS_OUTPUT = program(f"{FIRST}; exec >&-")
DIES_ONCE_IN_A_WHILE = program(f"n=$((n + 1)); test $n -lt 4 || exit 1; {FIRST}", before="n=0")
IGNORES_ITS_END = program("sleep 60", before="trap '' TERM INT HUP")
