#!/usr/bin/env bash
# Starts a server with its bots and prints its address. With --terminal: plays in this terminal against a server that
# runs only as long as you play. Other arguments go to `euchre serve`. HOST and PORT name another address.
set -euo pipefail
cd "$(dirname "$0")/.."

euchre=.venv/bin/euchre
host=${HOST:-127.0.0.1}
port=${PORT:-8765}

terminal=no
serve_arguments=()
for argument in "$@"; do
    if [ "$argument" = --terminal ]; then
        terminal=yes
    else
        serve_arguments+=("$argument")
    fi
done
# The odd expansion is for bash 3, where an empty array counts as unset.
serve=("$euchre" serve --host "$host" --port "$port" ${serve_arguments[@]+"${serve_arguments[@]}"})

if [ "$terminal" = no ]; then
    exec "${serve[@]}"
fi

is_ready() {
    .venv/bin/python - "http://$host:$port/readyz" <<'PYTHON'
import sys
import urllib.request

try:
    # No proxy stands between this machine and itself.
    urllib.request.build_opener(urllib.request.ProxyHandler({})).open(sys.argv[1], timeout=2).close()
except OSError:
    sys.exit(1)
PYTHON
}

if is_ready; then
    echo "A server is running at http://$host:$port/ already; you play there." >&2
    exec "$euchre" play "ws://$host:$port/ws"
fi

log=$(mktemp)
# In a process group of its own, or Ctrl-C in the game would stop the server before the game could say goodbye.
set -m
"${serve[@]}" </dev/null >"$log" 2>&1 &
server=$!
set +m

stop_server() {
    kill -TERM "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
    rm -f "$log"
}
trap stop_server EXIT

for _ in $(seq 60); do
    if ! kill -0 "$server" 2>/dev/null; then
        cat "$log" >&2
        exit 1
    fi
    if is_ready; then
        # Not exec: the server is stopped afterwards.
        status=0
        "$euchre" play "ws://$host:$port/ws" || status=$?
        echo "The server stops, too. To go on: make play ARGS=--terminal" >&2
        exit "$status"
    fi
    sleep 0.5
done
echo "The server did not become ready within 30 s:" >&2
cat "$log" >&2
exit 1
