#!/usr/bin/env bash
# Installs the Debian packages that the tests need and pip cannot give: a browser, Redis, PostgreSQL, and what makes
# certificates. The tests start servers of their own; one that a package starts is left alone. Does nothing where the
# programs are found.
set -euo pipefail

has_any() {
    local program
    for program in "$@"; do
        if command -v "$program" >/dev/null; then
            return 0
        fi
    done
    return 1
}

missing=()
has_any chromium chromium-browser google-chrome || missing+=(chromium)
has_any redis-server || missing+=(redis-server)
has_any openssl || missing+=(openssl)
# Debian keeps PostgreSQL's own programs out of the PATH.
has_any initdb /usr/lib/postgresql/*/bin/initdb || missing+=(postgresql)
if [ "${#missing[@]}" -eq 0 ]; then
    exit 0
fi

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "The tests need ${missing[*]}. Install them (Debian: sudo apt-get install ${missing[*]}) and try again." >&2
    exit 1
fi

export DEBIAN_FRONTEND=noninteractive
echo "Installing Debian's ${missing[*]} for the tests"
apt-get update --quiet=2
apt-get install --quiet=2 --yes --no-install-recommends "${missing[@]}" >/dev/null
